import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from './cleanup.ts'
import type { WireRequest } from './contestants/contestant.ts'
import type { Homeport } from './contestants/homeport.ts'
import { LoadGenerator, type LoadResult } from './load.ts'
import type { Options } from './options.ts'
import { median } from './statistics.ts'
import { registerUsers, seed, send, spread } from './workload.ts'

/** Connections of the logins, and the same number for the gets. */
const CONNECTIONS = 8
/** Gets per second, which leave the server mostly idle. */
const RATE = 200
const OBJECTS = 1000
/** Enough that no user logs in twice concurrently: password checks of one user run sequentially. */
const USERS = 128
/** The time by which the logins start before the gets and end after them, in milliseconds. */
const LEAD = 500

/** The figures of each round; those with the same index ran one after the other. */
export interface LoginFigures {
  readonly connections: number
  /** Requested gets per second. */
  readonly rate: number
  readonly logins: LoadResult[]
  readonly loginsDuringGets: LoadResult[]
  readonly gets: LoadResult[]
  readonly getsDuringLogins: LoadResult[]
}

/** Requests to repeat, and the minimum length of a correct response. */
interface Work {
  readonly requests: readonly WireRequest[]
  readonly minBody: number
}

/** Measures logins and gets, alternating between each alone and both together. */
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
  // The 99th percentile of some hundred requests depends on only a few of them.
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

/** Returns the latency ratio of gets during logins: the median of the ratios of each round. */
export function slowdown({ gets, getsDuringLogins }: LoginFigures, figure: 'p50' | 'p99'): number {
  return median(getsDuringLogins.map((round, index) => round[figure] / gets[index]![figure]))
}

async function loginsOf(server: Homeport): Promise<Work> {
  const requests = (await registerUsers(server.register, USERS)).map(({ login }) => login)
  const answer = await send(server, requests[0]!)
  const { sessionToken } = JSON.parse(answer) as { sessionToken?: unknown }
  if (typeof sessionToken !== 'string') throw new Error('A login is answered without a session token.')
  return { requests, minBody: Math.floor(answer.length * 0.9) }
}

async function getsOf(server: Homeport): Promise<Work> {
  const ids = await seed(server, 'Item', OBJECTS)
  const requests = spread(OBJECTS, OBJECTS).map((n) => server.wire({ kind: 'get', className: 'Item', id: ids[n]! }))
  return { requests, minBody: Math.floor((await send(server, requests[0]!)).length * 0.9) }
}
