import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from './cleanup.ts'
import type { WireRequest } from './contestants/contestant.ts'
import type { Homeport } from './contestants/homeport.ts'
import { LoadGenerator, type LoadResult } from './load.ts'
import type { Options } from './options.ts'
import { median } from './statistics.ts'
import { registerUsers, seed, send, spread } from './workload.ts'

/** Of the logins, and as many of the gets. */
const CONNECTIONS = 8
/** Gets per second: what leaves the server idle most of the time. */
const RATE = 200
const OBJECTS = 1000
/** Many, so that no user logs in twice at once: the checks of one user's password wait for each other. */
const USERS = 128
/** The logins begin so much before the gets, and end so much after them, in milliseconds. */
const LEAD = 500

/** What was measured in each round; those of the same number ran one after the other. */
export interface LoginFigures {
  readonly connections: number
  /** Gets per second that were asked for. */
  readonly rate: number
  readonly logins: LoadResult[]
  readonly loginsDuringGets: LoadResult[]
  readonly gets: LoadResult[]
  readonly getsDuringLogins: LoadResult[]
}

/** Requests to be sent again and again, and the least length of a right answer. */
interface Work {
  readonly requests: readonly WireRequest[]
  readonly leastBody: number
}

/** Measures logins and gets, in turns by themselves and together. */
export async function measureLogins(
  server: Homeport,
  load: LoadGenerator,
  options: Options,
  cleanup: Cleanup,
): Promise<LoginFigures> {
  process.stderr.write(`logins: registering ${USERS} users\n`)
  const logins = await loginsOf(server)
  const gets = await getsOf(server)
  const loginLoad = new LoadGenerator()
  cleanup.add(() => loginLoad.stop())
  const { url } = server
  const { seconds } = options
  const get = () => load.run({ url, ...gets, connections: CONNECTIONS, until: { seconds }, rate: RATE })
  const logIn = (duration: number) =>
    loginLoad.run({ url, ...logins, connections: CONNECTIONS, until: { seconds: duration } })

  const figures: LoginFigures = {
    connections: CONNECTIONS,
    rate: RATE,
    logins: [],
    loginsDuringGets: [],
    gets: [],
    getsDuringLogins: [],
  }
  // The 99th percentile of some hundred requests is the word of a few.
  const rounds = 2 * options.rounds + 1
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(`logins: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}\n`)
    const loginsAlone = await logIn(seconds)
    const getsAlone = await get()
    const [loginsDuringGets, getsDuringLogins] = await Promise.all([
      logIn(seconds + (2 * LEAD) / 1000),
      sleep(LEAD).then(get),
    ])
    // Round 0 warms up.
    if (round === 0) continue
    figures.logins.push(loginsAlone)
    figures.loginsDuringGets.push(loginsDuringGets)
    figures.gets.push(getsAlone)
    figures.getsDuringLogins.push(getsDuringLogins)
  }
  return figures
}

/** How much longer gets take during logins: the median of the ratios of each round. */
export function slowdown({ gets, getsDuringLogins }: LoginFigures, figure: 'p50' | 'p99'): number {
  return median(getsDuringLogins.map((round, index) => round[figure] / gets[index]![figure]))
}

async function loginsOf(server: Homeport): Promise<Work> {
  const requests = (await registerUsers(server.register, USERS)).map(({ login }) => login)
  const answer = await send(server, requests[0]!)
  const { sessionToken } = JSON.parse(answer) as { sessionToken?: unknown }
  if (typeof sessionToken !== 'string') throw new Error('A login is answered without a session token.')
  return { requests, leastBody: Math.floor(answer.length * 0.9) }
}

async function getsOf(server: Homeport): Promise<Work> {
  const ids = await seed(server, 'Item', OBJECTS)
  const requests = spread(OBJECTS, OBJECTS).map((n) => server.wire({ kind: 'get', className: 'Item', id: ids[n]! }))
  return { requests, leastBody: Math.floor((await send(server, requests[0]!)).length * 0.9) }
}
