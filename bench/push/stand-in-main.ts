import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startStandInApns } from '../../test/support/stand-in-apns.ts'
import { standInSettings, startStandInVendors } from '../../test/support/stand-in-vendors.ts'
import type { ProviderName } from './options.ts'
import type { Counts } from './stand-in.ts'

// A provider in a separate process. The URL it prints serves its settings and the received messages.

interface StandInInfo {
  readonly settings: object
  /** The number of devices that received messages. Polled often. */
  devices(): number
  counts(): Counts
  forget(): void
}

const info = process.argv[2] === ('apns' satisfies ProviderName) ? await apns() : await hms()
const server = createServer((request, response) => {
  const answer = () => {
    switch (request.url) {
      case '/settings':
        return info.settings
      case '/devices':
        return info.devices()
      case '/counts':
        return info.counts()
      default:
        info.forget()
        return null
    }
  }
  response.end(JSON.stringify(answer()))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})

async function hms(): Promise<StandInInfo> {
  const { url, vendors } = await startStandInVendors()
  const { delivered, batches, messages, complaints } = vendors.hms
  return {
    settings: { hms: standInSettings(url).hms },
    devices: () => delivered.size,
    counts: () => {
      if (complaints.length > 0) throw new Error(complaints[0])
      // A device shows one message per tag.
      const tags = new Set((messages as Notified[]).map(({ android }) => android.notification.tag))
      return {
        ...countsOf([...delivered.values()]),
        requests: batches.length,
        shownTwice: delivered.size * (tags.size - 1),
      }
    },
    forget: () => {
      for (const list of [batches, messages]) list.splice(0)
      delivered.clear()
    },
  }
}

interface Notified {
  readonly android: { readonly notification: { readonly tag: string } }
}

async function apns(): Promise<StandInInfo> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { url, keys, trusted, devices } = await startStandInApns()
  keys.set('KEY', { teamId: 'TEAM', publicKey })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    settings: {
      apns: {
        keys: { TEAM: { keyId: 'KEY', privateKey: key, topics: ['org.example.app'] } },
        defaultTopic: 'org.example.app',
        servers: { prod: url, dev: url },
        trusted,
      },
    },
    devices: () => devices.size,
    counts: () => {
      const times = [...devices.values()].map(({ received }) => received)
      const shownTwice = [...devices.values()].filter(({ shown }) => shown.length > 1).length
      return { ...countsOf(times), requests: times.reduce((sum, count) => sum + count, 0), shownTwice }
    },
    forget: () => devices.clear(),
  }
}

function countsOf(times: readonly number[]): Pick<Counts, 'devices' | 'handedTwice'> {
  return { devices: times.length, handedTwice: times.filter((count) => count > 1).length }
}
