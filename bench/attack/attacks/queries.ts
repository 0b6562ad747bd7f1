import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { makeLarge } from './connections.ts'

/** Returns an attack that queries the large class with varying parameters, over 64 connections. */
function heavy(name: string, what: string, parameters: (n: number) => Record<string, unknown>): Attack {
  return {
    name,
    what,
    run: (attacker) => attacker.flood(64, (n) => attacker.get('/1.1/classes/Crowd', parameters(n))),
  }
}

const NEVER = 'not there at all'

/** Attacks with reads that cost far more than the request. */
export const QUERY_ATTACKS: readonly Attack[] = [
  heavy('unindexed', 'conditions that no index serves', (n) => ({
    where: [
      { text: { $regex: `[a-f]+.*${n}.*[0-9]+z$`, $options: 'i' } },
      { text: { $ne: NEVER }, tag: { $nin: ['tag 1'] }, n: { $lt: -1 } },
      { list: { $all: [1, 2, 3, 4, n] } },
      { [`missing${n % 5}`]: n },
    ][n % 4],
    order: '-n',
  })),
  heavy('deep-pages', 'skips of a million, counts, and orders by what has no index', (n) => ({
    where: n % 3 === 1 ? { n: { $gt: n % 1000 } } : {},
    order: ['text', '-tag,n', 'list'][n % 3],
    ...(n % 3 === 1 ? { count: 1, limit: 0 } : { skip: 400_000 + n, limit: 1000 }),
  })),
  heavy('many-conditions', '`$or` of thousands of conditions, and lists of tens of thousands of values', (n) => ({
    where:
      n % 2 === 0
        ? { $or: Array.from({ length: 150 }, (_, m) => ({ text: { $regex: `x${n}y${m}$` } })) }
        : { text: { $in: Array.from({ length: 900 }, (_, m) => `${n}-${m}`) } },
  })),
  {
    name: 'sub-queries',
    what: '`$inQuery`, `$notInQuery` and `$select` over the whole class, nested',
    run: (attacker) =>
      attacker.flood(64, (n) => {
        const inner = { className: 'Crowd', where: { n: { $gt: n % 100 } } }
        const where = [
          { item: { $notInQuery: { className: 'Item', where: { group: { $gt: n % 50 } } } } },
          { text: { $select: { query: inner, key: 'text' } } },
          { tag: { $dontSelect: { query: inner, key: 'tag' } } },
          { item: { $inQuery: { className: 'Item', where: { title: { $select: { query: inner, key: 'tag' } } } } } },
        ][n % 4]
        return attacker.get('/1.1/classes/Crowd', { where, order: '-text' })
      }),
  },
  {
    name: 'near-and-cql',
    what: 'nearest objects of half a million at one place, and CQL over the whole class',
    run: (attacker) =>
      attacker.flood(64, (n) => {
        const place = { __type: 'GeoPoint', latitude: n % 90, longitude: n % 180 }
        if (n % 2 === 0) {
          return attacker.get('/1.1/classes/Crowd', {
            where: { place: { $nearSphere: place } },
            skip: 100_000,
            limit: 1000,
          })
        }
        const cql = `select count(*), * from Crowd where text regexp 'a.*${n}z' or n > ${n % 1000} order by text desc`
        return attacker.get('/1.1/cloudQuery', { cql })
      }),
  },
  {
    name: 'costly-patterns',
    what: 'regular expressions of great size, in conditions',
    run: (attacker) =>
      attacker.flood(32, (n) => {
        const pattern = [
          `((a{1,30}){1,30}){1,30}${n}$`,
          `(${'(x+x+)+'.repeat(50)})+${n}y`,
          `(?i)${'[\\w-￿]{0,99}'.repeat(20)}${n}`,
          `${'(a|b|c|d|e){10}'.repeat(60)}${n}`,
        ][n % 4]
        return attacker.get('/1.1/classes/Crowd', { where: { text: { $regex: pattern } } })
      }),
  },
  {
    name: 'includes',
    what: 'objects with 1 000 pointers to an object of 400 KB, included',
    prepare: async (attacker) => {
      await makeLarge(attacker)
      const { results } = (await attacker.request({ method: 'GET', path: '/1.1/classes/Large?limit=1&keys=n' })) as {
        results: { objectId: string }[]
      }
      const pointer = { __type: 'Pointer', className: 'Large', objectId: results[0]!.objectId }
      const all = Array.from({ length: 1000 }, () => pointer)
      for (let n = 0; n < 14; n++) await attacker.request({ path: '/1.1/classes/Pointing', body: { all } })
    },
    run: (attacker) =>
      attacker.flood(16, () => attacker.get('/1.1/classes/Pointing', { include: 'all', limit: '1000' })),
  },
  {
    name: 'batched-reads',
    what: 'batches of 1 100 reads of almost 6 MB each',
    prepare: makeLarge,
    run: (attacker) => {
      const requests = Array.from({ length: 1100 }, () => ({ method: 'GET', path: '/1.1/classes/Large?limit=1000' }))
      return attacker.flood(16, () => attacker.send({ path: '/1.1/batch', body: { requests } }))
    },
  },
  {
    name: 'large-answers',
    what: 'answers of almost 6 MB, which are compressed, as fast as they come',
    prepare: makeLarge,
    run: (attacker) =>
      attacker.flood(32, () => attacker.get('/1.1/classes/Large', { limit: '1000' }, { 'Accept-Encoding': 'br' })),
  },
  {
    name: 'large-objects-read',
    what: 'a dozen objects of 15 MB, read by their ids and found',
    prepare: async (attacker) => {
      const text = 'x'.repeat(15 * 1024 * 1024)
      for (let n = 0; n < 12; n++) {
        const { objectId } = await attacker.request({ path: '/1.1/classes/Huge', body: { n, text } })
        huge.push(String(objectId))
      }
    },
    run: (attacker) =>
      attacker.flood(32, (n) =>
        n % 4 === 0
          ? attacker.get('/1.1/classes/Huge', { where: { n: n % 12 } })
          : attacker.get(`/1.1/classes/Huge/${huge[n % huge.length]}`),
      ),
  },
  {
    name: 'prepared-statements',
    what: 'hundreds of long conditions, each of them ten times',
    run: (attacker) =>
      attacker.flood(32, (n) => {
        const form = Math.floor(n / 320) * 32 + (n % 32)
        const where = { $or: Array.from({ length: 30 + (form % 40) }, (_, m) => ({ [`f${form}x${m}`]: m })) }
        return attacker.get('/1.1/classes/Item', { where })
      }),
  },
  {
    name: 'many-roles',
    what: 'a user with 10 000 roles that hold each other in a circle',
    prepare: prepareRoles,
    run: (attacker) => {
      const session = { 'X-LC-Session': token }
      return attacker.flood(64, (n) =>
        n % 20 === 0
          ? // Invalidates cached roles.
            attacker.send({ method: 'PUT', path: `/1.1/roles/${lastRole}`, body: { note: n }, headers: session })
          : attacker.get('/1.1/classes/Item', { where: { group: n % 100 } }, session),
      )
    },
  },
]

/** Ids of objects of 15 MB. */
const huge: string[] = []
let token = ''
let lastRole = ''

async function prepareRoles(attacker: Attacker): Promise<void> {
  const user = await attacker.request({ path: '/1.1/users', body: { username: `roles-${Date.now()}`, password: 'x' } })
  token = String(user.sessionToken)
  const own = { __type: 'Pointer', className: '_User', objectId: user.objectId }
  const headers = { 'X-LC-Session': token }
  const ids: string[] = []
  const prefix = `r${Date.now()}_`
  const roles = (n: number) => ids.slice(-n).map((objectId) => ({ __type: 'Pointer', className: '_Role', objectId }))
  while (ids.length < 10_000) {
    const requests = Array.from({ length: 100 }, (_, n) => ({
      method: 'POST',
      path: '/1.1/roles',
      body: {
        name: `${prefix}${ids.length + n}`,
        ACL: { '*': { read: true, write: true } },
        users: { __op: 'AddRelation', objects: [own] },
        ...(ids.length > 0 && { roles: { __op: 'AddRelation', objects: roles(5) } }),
      },
    }))
    const answers = (await attacker.request({ path: '/1.1/batch', body: { requests }, headers })) as unknown as {
      success?: { objectId: string }
    }[]
    const made = answers.flatMap(({ success }) => (success ? [success.objectId] : []))
    if (made.length === 0) throw new Error(`roles are refused: ${JSON.stringify(answers[0])}`)
    ids.push(...made)
  }
  lastRole = ids.at(-1)!
}
