import type { Contestant, User, WireRequest } from './contestants/contestant.ts'
import type { LoadGenerator } from './load.ts'
import type { CaseName } from './options.ts'
import { BATCH_SIZE, GROUP_SIZE, groupOf, registerUsers, sampleObject, seed, send, spread } from './workload.ts'

/** A measurement, identical for every contestant. */
export interface Case {
  readonly name: CaseName
  readonly title: string
  /** Objects per request: figures are requests per second for 1, else objects per second. */
  readonly objects: number
  /** Maximum connections, where more would be unrealistic. */
  readonly connections: number
  /** The case whose rounds alternate with this one, for comparison. */
  readonly beside?: CaseName
  /** Returns the requests to send. Their first response must satisfy `check`. null: the contestant does not take part */
  requests(contestant: Contestant, stage: Stage): Promise<WireRequest[] | null>
  check(answer: string): boolean
  /** Returns the effect of the writes as stored in the database; each request adds `objects` to it. null: nothing is written */
  readonly written: ((contestant: Contestant) => Promise<number>) | null
}

/** The data of a contestant before the measurement. */
export interface Stage {
  /** The ids of its objects. */
  readonly items: readonly string[]
  /** Empty when users are not measured. */
  readonly users: readonly User[]
}

/** Written by the creates. */
const POSTS = 'Post'
/** Read and incremented individually. */
const ITEMS = 'Item'
const ITEM_COUNT = 1000
/** Queried and scanned. */
const RECORDS = 'Record'
const RECORD_COUNT = 10_000
/** Requests use these users round robin, so that several session tokens are in use. */
const USER_COUNT = 50

export const CLASSES = [POSTS, ITEMS, RECORDS]

/** Fills the classes of a contestant and ensures its index. */
export async function prepare(contestant: Contestant, load: LoadGenerator): Promise<Stage> {
  await seed(contestant, POSTS, BATCH_SIZE)
  const items = await seed(contestant, ITEMS, ITEM_COUNT)
  await seed(contestant, RECORDS, RECORD_COUNT)
  await contestant.index(RECORDS, 'group', query(contestant, 1), load)
  return { items, users: contestant.register ? await registerUsers(contestant.register, USER_COUNT) : [] }
}

function query(contestant: Contestant, n: number): WireRequest {
  return contestant.wire({ kind: 'query', className: RECORDS, field: 'group', value: groupOf(n, RECORD_COUNT) })
}

const ANY = 1000

const GET: Case = {
  name: 'get',
  title: 'get by id',
  objects: 1,
  connections: ANY,
  requests: async (contestant, { items }) =>
    spread(items.length, items.length).map((n) => contestant.wire({ kind: 'get', className: ITEMS, id: items[n]! })),
  check: (answer) => (JSON.parse(answer) as { title?: unknown }).title === 'Title number 0',
  written: null,
}

const QUERY: Case = {
  name: 'query',
  title: `query, finds ${GROUP_SIZE}`,
  objects: 1,
  connections: ANY,
  requests: async (contestant) => spread(1000, 1000).map((n) => query(contestant, n)),
  check: (answer) => resultsIn(answer) === GROUP_SIZE,
  written: null,
}

export const ALL_CASES: readonly Case[] = [
  {
    name: 'create',
    title: 'create',
    objects: 1,
    connections: ANY,
    requests: async (contestant) =>
      spread(1000, 1000).map((n) =>
        contestant.wire({ kind: 'create', className: POSTS, object: sampleObject(n, 1000) }),
      ),
    check: (answer) => typeof (JSON.parse(answer) as { objectId?: unknown }).objectId === 'string',
    written: (contestant) => contestant.count(POSTS),
  },
  GET,
  withSession(GET, 'get-with-session', 'get with session'),
  {
    name: 'increment',
    title: 'increment',
    objects: 1,
    connections: ANY,
    requests: async (contestant, { items }) =>
      spread(items.length, items.length).map((n) =>
        contestant.wire({ kind: 'increment', className: ITEMS, id: items[n]!, field: 'score' }),
      ),
    check: (answer) => typeof JSON.parse(answer) === 'object',
    written: (contestant) => contestant.sum(ITEMS, 'score'),
  },
  QUERY,
  withSession(QUERY, 'query-with-session', 'query with session'),
  {
    name: 'batch',
    title: `batch of ${BATCH_SIZE} creates`,
    objects: BATCH_SIZE,
    connections: ANY,
    requests: async (contestant) => {
      const objects = Array.from({ length: BATCH_SIZE }, (_, n) => sampleObject(n, 1000))
      return spread(64, 64).map(() => contestant.wire({ kind: 'batch', className: POSTS, objects }))
    },
    check: (answer) => (JSON.parse(answer) as { success?: unknown }[]).every(({ success }) => success !== undefined),
    written: (contestant) => contestant.count(POSTS),
  },
  {
    name: 'scan',
    title: 'scan, pages of 1000',
    objects: 1000,
    // Scans are used for backups and similar tasks: a few concurrently.
    connections: 4,
    requests: (contestant) => contestant.scan(RECORDS),
    check: (answer) => resultsIn(answer) === 1000,
    written: null,
  },
]

/** Returns the same case with requests of logged in users. */
function withSession(one: Case, name: CaseName, title: string): Case {
  return {
    ...one,
    name,
    title,
    beside: one.name,
    requests: async (contestant, stage) => {
      const { users } = stage
      const requests = await one.requests(contestant, stage)
      if (!requests || users.length === 0) return null
      return requests.map((request, n) => users[n % users.length]!.requestOf(request))
    },
  }
}

function resultsIn(answer: string): number {
  return (JSON.parse(answer) as { results: readonly unknown[] }).results.length
}

/**
 * Sends one of the requests and checks the response.
 * @returns the minimum length of a correct response: all of one case have a similar length
 */
export async function smallestResponse(
  one: Case,
  contestant: Contestant,
  requests: readonly WireRequest[],
): Promise<number> {
  const answer = await send(contestant, requests[0]!)
  if (!one.check(answer)) throw new Error(`${contestant.name} answers ${one.name} with ${answer.slice(0, 500)}`)
  return Math.floor(answer.length * 0.9)
}
