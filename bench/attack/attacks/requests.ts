import type { Attack } from '../attack.ts'
import { rawRequest } from '../attacker.ts'
import { clientHeaders } from '../target.ts'

let number = 0

/** Attacks with many failing requests. */
export const REQUEST_ATTACKS: readonly Attack[] = [
  {
    name: 'wrong-keys',
    what: 'as many requests with a wrong key as the connections carry',
    run: (attacker) => {
      const headers = { ...clientHeaders(attacker.target), 'X-LC-Key': 'a wrong key' }
      return attacker.pipeline(32, () => rawRequest('GET', '/1.1/classes/Item', headers))
    },
  },
  {
    name: 'unknown-apps',
    what: 'requests that each name another app which does not exist',
    run: (attacker) =>
      attacker.pipeline(32, () =>
        rawRequest('GET', '/1.1/classes/Item', { 'X-LC-Id': `app-${number++}`, 'X-LC-Key': 'key' }),
      ),
  },
  {
    name: 'unknown-paths',
    what: 'requests that each go to another path, method or class where nothing is',
    run: (attacker) => {
      const headers = clientHeaders(attacker.target)
      const paths = [
        () => `/1.1/classes/Unknown${number++}`,
        () => `/1.1/classes/Unknown${number++}/5f0000000000000000000000`,
        () => `/nothing/${number++}`,
        () => `/1.1/classes/Item/5f00000000000000${String(number++).padStart(8, '0').slice(-8)}`,
      ]
      return attacker.pipeline(32, () =>
        rawRequest(number % 7 === 0 ? 'PATCH' : 'GET', paths[number % paths.length]!(), headers),
      )
    },
  },
  {
    name: 'huge-headers',
    what: 'headers and URLs of 15 KB, with forged chains of proxies',
    run: (attacker) => {
      const headers = clientHeaders(attacker.target)
      const chain = Array.from({ length: 900 }, (_, n) => `10.0.0.${n % 256}`).join(', ')
      const texts = [
        rawRequest('GET', '/1.1/date', { ...headers, 'X-Forwarded-For': chain }),
        rawRequest('GET', '/1.1/date', { ...headers, Forwarded: 'for="[::1]";by=x,'.repeat(800) }),
        rawRequest('GET', `/1.1/classes/Item?where=${'%7B'.repeat(4500)}`, headers),
        rawRequest('GET', `/1.1/classes/Item?${'a&'.repeat(7000)}`, headers),
        rawRequest('GET', '/1.1/date', { ...headers, Accept: 'text/html;q=0.1,'.repeat(900), 'Accept-Encoding': 'br' }),
      ]
      return attacker.pipeline(16, () => texts[number++ % texts.length]!)
    },
  },
  {
    name: 'open-pages',
    what: '`/metrics`, `/health`, the routers and pages that need no key, as fast as they come',
    run: (attacker) => {
      const paths = ['/metrics', '/health', '/2/route?appId=bench', '/v1/route?appId=bench', '/1.1/resetPassword/x']
      return attacker.pipeline(32, () => rawRequest('GET', paths[number++ % paths.length]!, { Accept: 'text/html' }))
    },
  },
  {
    name: 'honest-looking',
    what: 'right reads of one object, as fast as the connections carry',
    run: (attacker) => {
      const { className, ids } = attacker.target.items
      const headers = clientHeaders(attacker.target)
      return attacker.pipeline(32, () =>
        rawRequest('GET', `/1.1/classes/${className}/${ids[number++ % ids.length]}`, headers),
      )
    },
  },
  {
    name: 'slow-functions',
    what: 'calls of a cloud function that answers after 15 s',
    slowEngine: true,
    run: (attacker) => attacker.flood(1000, () => attacker.send({ path: '/1.1/functions/slow', body: {} })),
  },
  {
    name: 'master-only',
    what: 'exports, scans, pushes and schemas, which need the master key',
    run: (attacker) => {
      const headers = clientHeaders(attacker.target)
      const texts = [
        rawRequest('POST', '/1.1/exportData', headers, '{}'),
        rawRequest('GET', '/1.1/scan/classes/Crowd?limit=1000', headers),
        rawRequest('POST', '/1.1/push', headers, '{"data":{"alert":"x"}}'),
        rawRequest('GET', '/1.1/schemas', headers),
        rawRequest('GET', '/admin/apps', { Authorization: 'Bearer guessed' }),
      ]
      return attacker.pipeline(16, () => texts[number++ % texts.length]!)
    },
  },
]
