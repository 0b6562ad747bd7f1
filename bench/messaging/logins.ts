import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.ts'
import { TRIVIAL } from '../contestants/homeport.ts'
import { LoadGenerator, type LoadResult } from '../load.ts'
import type { ServerProcess } from '../server-process.ts'
import { processorTime, processorTimeOfAll } from '../server-usage.ts'
import { median } from '../statistics.ts'
import { startBare } from './bare-process.ts'
import { logIn } from './client.ts'
import { Crowd, type Outcome } from './crowd.ts'
import type { MessagingOptions } from './options.ts'
import { idOfReturning } from './returning.ts'
import type { MessagingServer } from './server.ts'

/** Clients that reconnect concurrently. */
const UNDER_WAY = 200
/** Honest reads over HTTP: requests per second, and connections. */
const READS = { rate: 200, connections: 8 } as const
/** Duration of reconnects to the bare relay in seconds: each uses a new port. */
const RELAYED = 2
/** The time by which the logins start before the reads and end after them, in milliseconds. */
const LEAD = 500
/** One client in so many has unread messages when it reconnects. */
const UNREAD_EVERY = 10
/** Members of the larger of a client's two conversations. */
const GROUP = 50

/** One round of logins, each with a handshake before and a join after it. */
export interface LoginRound {
  readonly perSecond: number
  /** Milliseconds from connecting to joining the room. */
  readonly p50: number
  readonly p99: number
  /** CPU time of a login in milliseconds: of the server process, and of all database processes. */
  readonly server: number | null
  readonly database: number | null
  /** CPU time of a login to the bare relay, in the same round. */
  readonly relay: number | null
}

export interface StormFigures {
  readonly clients: number
  readonly underWay: number
  readonly logins: LoginRound[]
  /** Figures of HTTP reads alone, and during logins. */
  readonly reads: LoadResult[]
  readonly readsDuring: LoadResult[]
}

/** Lets clients reconnect as after a restart, alone and during reads of others. */
export async function measureStorm(
  server: MessagingServer,
  options: MessagingOptions,
  cleanup: Cleanup,
): Promise<StormFigures> {
  const { returning, rounds, seconds } = options
  process.stderr.write(`logins: ${returning} clients log in for the first time\n`)
  const roomId = await openRoom(server)
  await makeConversations(server, returning)
  const spec = { kind: 'returning', url: server.url, appId: server.appId, clients: returning, roomId } as const
  const relay = await cleanup.keep(startBare('relay'), (relay) => relay.stop())
  const crowd = await cleanup.keep(Crowd.gather(spec), (crowd) => crowd.disperse())
  const load = new LoadGenerator()
  cleanup.add(() => load.stop())
  const read = await readsOf(server, load)
  const figures: StormFigures = { clients: returning, underWay: UNDER_WAY, logins: [], reads: [], readsDuring: [] }
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(`logins: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}\n`)
    const logins = { ...(await logInAlone(server, crowd, seconds)), relay: await costAtRelay(relay, crowd) }
    const reads = await read(seconds)
    await prepareRound(server, crowd)
    const [, readsDuring] = await Promise.all([
      crowd.run({ seconds: seconds + (2 * LEAD) / 1000, inFlight: UNDER_WAY }),
      sleep(LEAD).then(() => read(seconds)),
    ])
    // Round 0 warms up.
    if (round === 0) continue
    figures.logins.push(logins)
    figures.reads.push(reads)
    figures.readsDuring.push(readsDuring)
  }
  return figures
}

/** Returns the CPU time of a login with the database in milliseconds; null where unavailable. */
export function costOfLogin({ logins }: StormFigures): number | null {
  return medianOf(logins, costOf)
}

/**
 * Returns the CPU time of a login with the database relative to the bare relay: the median of the ratios of each round. null
 * where unavailable.
 */
export function loginsToRelay({ logins }: StormFigures): number | null {
  return medianOf(logins, (login) => {
    const cost = costOf(login)
    return cost === null || login.relay === null ? null : cost / login.relay
  })
}

function costOf({ server, database }: LoginRound): number | null {
  return server === null || database === null ? null : server + database
}

/** Returns the median of the available values; null without any. */
export function medianOf(logins: readonly LoginRound[], figure: (login: LoginRound) => number | null): number | null {
  const known = logins.flatMap((login) => figure(login) ?? [])
  return known.length === 0 ? null : median(known)
}

/** Returns the latency ratio of reads during logins: the median of the ratios of each round. */
export function slowdownOfReads({ reads, readsDuring }: StormFigures, figure: 'p50' | 'p99'): number {
  return median(readsDuring.map((round, index) => round[figure] / reads[index]![figure]))
}

async function logInAlone(server: MessagingServer, crowd: Crowd, seconds: number): Promise<Omit<LoginRound, 'relay'>> {
  await prepareRound(server, crowd)
  const databaseProcess = await server.databaseProcess()
  const times = () => [processorTime(server.pid), processorTimeOfAll(databaseProcess)] as const
  const before = times()
  const outcome = await crowd.run({ seconds, inFlight: UNDER_WAY })
  const after = times()
  const { acknowledged, elapsed, p50, p99 } = outcome
  const costOf = (which: 0 | 1) =>
    before[which] === null || after[which] === null ? null : (after[which] - before[which]) / acknowledged
  return { perSecond: rateOf(outcome), p50, p99, server: costOf(0), database: costOf(1) }

  function rateOf({ acknowledged }: Outcome): number {
    return (acknowledged * 1000) / elapsed
  }
}

async function costAtRelay(relay: ServerProcess, crowd: Crowd): Promise<number | null> {
  await crowd.run({ seconds: 0, inFlight: 0 })
  const before = processorTime(relay.pid)
  const { acknowledged } = await crowd.run({ seconds: RELAYED, inFlight: UNDER_WAY, url: relay.url })
  const after = processorTime(relay.pid)
  return before === null || after === null ? null : (after - before) / acknowledged
}

/** Disconnects all clients, waits until the server has processed it, and writes missed messages for some. */
async function prepareRound(server: MessagingServer, crowd: Crowd): Promise<void> {
  await crowd.run({ seconds: 0, inFlight: 0 })
  await atRest(server)
  await writeMessages(server)
}

/** Resolves when the server process has been idle for a while. */
async function atRest({ pid }: MessagingServer): Promise<void> {
  for (let last = processorTime(pid), quiet = 0; quiet < 2; ) {
    await sleep(500)
    const now = processorTime(pid)
    quiet = now === null || last === null || now - last <= 20 ? quiet + 1 : 0
    last = now
  }
}

async function openRoom(server: MessagingServer): Promise<string> {
  const maker = await logIn(server, 'maker of the room')
  const attr = { data: '{"name":"Room of the benchmark"}' }
  const { convMessage } = await maker.request({ cmd: 'conv', op: 'start', convMessage: { transient: true, attr } })
  maker.socket.end()
  return convMessage!.cid!
}

/** Gives each client a conversation of two and one of many, written directly into the tables. */
async function makeConversations({ query, table }: MessagingServer, clients: number): Promise<void> {
  const insert = (size: number, kind: number) =>
    query(
      `INSERT INTO ${table('_Conversation')} (id, created_at, updated_at, data)
       SELECT
         lpad(to_hex(number + $2 * 16777216), 24, '0'), now(), now(),
         jsonb_build_object('name', 'Conversation ' || number, 'c', 'maker', 'm', jsonb_agg($3 || lpad(n::text, 6, '0')))
       FROM generate_series(0, $4::integer - 1) AS n, LATERAL (SELECT n / $1::integer AS number) AS conversation
       GROUP BY number`,
      [size, kind, idOfReturning(0).slice(0, -6), clients],
    )
  await insert(2, 1)
  await insert(GROUP, 2)
  await query(
    `INSERT INTO ${table('$threads')} (conv_id, last_ts, before_ts)
     SELECT id, 1700000000000, 0 FROM ${table('_Conversation')} WHERE data ? 'm' ON CONFLICT DO NOTHING`,
  )
  await query(`VACUUM ANALYZE ${table('_Conversation')}`)
}

/** Writes a message into one in so many conversations of two. */
async function writeMessages({ query, table }: MessagingServer): Promise<void> {
  await query(
    `WITH written AS (
       UPDATE ${table('$threads')}
       SET last_ts = (extract(epoch FROM clock_timestamp()) * 1000)::bigint, before_ts = last_ts
       WHERE conv_id IN (
         SELECT id
         FROM ${table('_Conversation')}
         WHERE jsonb_array_length(data->'m') = 2 AND right(data->'m'->>0, 6)::integer % $1 = 0
       )
       RETURNING conv_id, last_ts
     )
     INSERT INTO ${table('$messages')}
       (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt, type, ip)
     SELECT conv_id, last_ts, md5(conv_id || last_ts), conv_id, 'maker', 'You have missed this.', FALSE, FALSE, FALSE, -1, ''
     FROM written`,
    [UNREAD_EVERY],
  )
  await query(`ANALYZE ${table('$messages')}`)
}

async function readsOf(
  server: MessagingServer,
  load: LoadGenerator,
): Promise<(seconds: number) => Promise<LoadResult>> {
  const { headers } = TRIVIAL
  const path = '/1.1/classes/Item'
  const body = JSON.stringify({ title: 'An object that others read', score: 1 })
  const response = await fetch(server.url + path, { method: 'POST', headers, body })
  const { objectId } = (await response.json()) as { objectId?: string }
  if (!objectId) throw new Error(`An object is not created: ${response.status}.`)
  const requests = [{ method: 'GET', path: `${path}/${objectId}`, headers }] as const
  const { rate, connections } = READS
  return (seconds) =>
    load.run({ url: server.url, requests, connections, until: { seconds }, rate, minBody: body.length })
}
