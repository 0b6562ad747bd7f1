import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { LIBRARY } from '../library.ts'

/** Users of the attacker. */
const USERS = 60
/** Rows that point to them, so that a status is delivered in several pages. */
const ROWS = 4000

interface Own {
  readonly id: string
  readonly session: string
}

let own: Own[] = []

async function signUp(attacker: Attacker): Promise<void> {
  own = []
  await attacker.many(USERS, 4, async (n) => {
    const body = { username: `social-${process.pid}-${n}`, password: 'own password' }
    const { objectId, sessionToken } = await attacker.request({ path: '/1.1/users', body })
    own.push({ id: String(objectId), session: String(sessionToken) })
  })
}

const pointer = ({ id }: Own) => ({ __type: 'Pointer', className: '_User', objectId: id })
const as = ({ session }: Own) => ({ 'X-LC-Session': session })
const one = (n: number) => own[n % own.length]!

/** Returns an attack that searches a large class with varying parameters. */
function searching(name: string, what: string, parameters: (n: number) => Record<string, unknown>): Attack {
  return {
    name,
    what,
    searched: true,
    run: (attacker) =>
      attacker.flood(64, (n) => attacker.get('/1.1/search/select', { clazz: LIBRARY, ...parameters(n) })),
  }
}

const terms = (count: number, term: (m: number) => string) => Array.from({ length: count }, (_, m) => term(m)).join(' ')

/** Attacks with the most expensive social requests and searches. */
export const SOCIAL_ATTACKS: readonly Attack[] = [
  searching('common-words', 'searches for what all objects have, in every order', (n) => ({
    q: ['common', 'common^2 *', 'NOT missing', `common AND n:[${n % 1000} TO *]`][n % 4],
    order: ['', '-n', 'text,-n', '-createdAt'][(n >> 2) % 4],
    limit: 1000,
  })),
  searching('wide-words', 'searches for beginnings, patterns and misspelt words', (n) => ({
    q: [
      terms(60, (m) => `${(n + m).toString(16)}*`),
      terms(20, (m) => `o*${m}b?ec*t${n}`),
      terms(30, (m) => `object${n + m}~`),
      terms(10, (m) => `+co*n${'?'.repeat(m)}*`),
    ][n % 4],
    highlights: '*',
  })),
  searching('deep-searches', 'deep pages, sids of great size, and query strings beyond all bounds', (n) => ({
    ...[
      { q: 'common', skip: 400_000 + n, order: 'text' },
      { q: 'common', sid: 'x'.repeat(12_000 + (n % 100)) },
      { q: `common OR ${terms(250, (m) => `x${n}${m} OR`)} y` },
      { q: `${'('.repeat(900)}common${')'.repeat(900)}` },
    ][n % 4],
  })),
  {
    name: 'follow-storm',
    what: 'follows and their ends among sixty own users, half of them between the same two',
    prepare: signUp,
    run: (attacker) =>
      attacker.flood(64, (n) => {
        const [who, whom] = n % 2 === 0 ? [one(0), one(1)] : [one(n), one(n * 7 + 1)]
        const method = n % 3 === 2 ? 'DELETE' : 'POST'
        const path = `/1.1/users/self/friendship/${whom.id}`
        return attacker.send({ method, path, headers: as(who), ...(method === 'POST' && { body: { n } }) })
      }),
  },
  {
    name: 'statuses-to-all',
    what: 'statuses that go to page after page of a class, found by conditions that no index serves, and counted',
    prepare: async (attacker) => {
      await signUp(attacker)
      const rows = Array.from({ length: ROWS }, (_, n) => ({ user: pointer(one(n)), text: `row ${n}` }))
      for (let first = 0; first < ROWS; first += 100) {
        const requests = rows
          .slice(first, first + 100)
          .map((body) => ({ method: 'POST', path: '/1.1/classes/Reached', body }))
        await attacker.request({ path: '/1.1/batch', body: { requests } })
      }
    },
    run: (attacker) =>
      attacker.flood(32, (n) => {
        const who = one(n)
        const owner = JSON.stringify(pointer(who))
        if (n % 4 === 3) return attacker.get('/1.1/subscribe/statuses/count', { owner }, as(who))
        if (n % 4 === 2)
          return attacker.get('/1.1/subscribe/statuses', { owner, limit: 100, include: 'source' }, as(who))
        const where = n % 4 === 1 ? {} : { text: { $regex: `[a-z]+.*${n % 10}$` } }
        const query = { className: 'Reached', where, keys: 'user' }
        const body = { query, data: { text: 'x'.repeat(1000) }, inboxType: 'default' }
        return attacker.send({ path: '/1.1/statuses', body, headers: as(who) })
      }),
  },
]
