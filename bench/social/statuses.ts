import { setTimeout as sleep } from 'node:timers/promises'
import { APP_KEY, MASTER_KEY } from '../contestants/homeport.ts'
import { type MessagingServer, startMessaging } from '../messaging/server.ts'
import { integer, section } from '../messaging/table.ts'
import { runPaced } from '../paced-load.ts'
import { percentile } from '../statistics.ts'
import { send } from '../workload.ts'
import type { PartContext, PartReport } from './part.ts'

/** Times in milliseconds. */
interface DeliveryFigures {
  readonly name: string
  /** From the request until its response. */
  readonly answered: number
  /** From the request until the last follower has it. */
  readonly elapsed: number
  /** Concurrent reads of other clients. */
  readonly p50: number
  readonly p99: number
  readonly reads: number
}

interface Sender {
  readonly id: string
  readonly session: string
}

const APP = 'bench'
const KEYS = { 'X-LC-Id': APP, 'X-LC-Key': `${MASTER_KEY},master`, 'Content-Type': 'application/json' }

/** Objects read by other clients. */
const OBJECTS = 1000
/** The capacity of an inbox (`social/statuses/statuses.ts`). */
const INBOX_SIZE = 1000
const READ_CONNECTIONS = 20
const WARM_SECONDS = 3
const CALM_SECONDS = 10
/** Polling interval of the delivery, in milliseconds. */
const INTERVAL = 50
const TIMEOUT_MS = 20 * 60_000
/**
 * Targets of a delivery to a hundred thousand: seconds until all have it, and for concurrent reads milliseconds or the ratio to
 * the time without it.
 */
const MAX_SECONDS = 60
const MAX_P99 = 50
const MAX_SLOWDOWN = 5
const CHUNK = 50_000

/** Measures a status to many followers, and its effect on other clients. */
export async function measureStatuses({ root, options, cleanup }: PartContext): Promise<PartReport> {
  const { followers, reads } = options
  const server = await startMessaging(root, false, cleanup)
  const sender = await makeSender(server)
  await fill(server, sender, followers)
  const paths = await makeObjects(server, sender)
  // Warm-up before the first measurement.
  await readFor(server, sender, paths, reads, WARM_SECONDS)
  const calm = await readFor(server, sender, paths, reads, CALM_SECONDS)
  const figures: DeliveryFigures[] = []
  for (const name of ['into empty inboxes', 'once more'])
    figures.push(await deliver(server, sender, paths, options, name))
  await fillInboxes(server)
  figures.push(await deliver(server, sender, paths, options, 'into full inboxes'))
  const worst = Math.max(...figures.map(({ p99 }) => p99))
  const slowest = Math.max(...figures.map(({ elapsed }) => elapsed)) / 1000
  return {
    figures: { followers, calm, deliveries: figures },
    sections: [
      section(`A status to ${integer(followers)} followers, while others read ${reads} times a second`, [
        ['', 'answered ms', 'seconds', 'inboxes/s', 'reads', 'p50 ms', 'p99 ms'],
        ['nothing is delivered', '', '', '', integer(calm.reads), calm.p50.toFixed(1), calm.p99.toFixed(1)],
        ...figures.map(({ name, answered, elapsed, reads, p50, p99 }) => [
          name,
          answered.toFixed(0),
          (elapsed / 1000).toFixed(1),
          integer((followers * 1000) / elapsed),
          integer(reads),
          p50.toFixed(1),
          p99.toFixed(1),
        ]),
      ]),
    ],
    bars: [
      {
        promise: `all inboxes within ${MAX_SECONDS} s`,
        measured: `${slowest.toFixed(1)} s`,
        kept: slowest <= MAX_SECONDS,
      },
      {
        promise: `p99 of others at most ${MAX_P99} ms, or ${MAX_SLOWDOWN} times as long as before`,
        measured: `${worst.toFixed(1)} ms, ${(worst / calm.p99).toFixed(1)} times`,
        kept: worst <= MAX_P99 || worst <= MAX_SLOWDOWN * calm.p99,
      },
    ],
  }
}

async function makeSender({ url }: MessagingServer): Promise<Sender> {
  const answer = await send(
    { url },
    {
      method: 'POST',
      path: '/1.1/users',
      headers: KEYS,
      body: JSON.stringify({ username: 'sender', password: 'password of the sender' }),
    },
  )
  const { objectId, sessionToken } = JSON.parse(answer) as { objectId: string; sessionToken: string }
  return { id: objectId, session: sessionToken }
}

/** Creates users that follow the sender. */
async function fill({ query, table }: MessagingServer, { id }: Sender, followers: number): Promise<void> {
  const ids = `lpad(to_hex(1760000000 + n / 10), 8, '0') || '0123456789' || lpad(to_hex(n), 6, '0')`
  for (let from = 1; from <= followers; from += CHUNK) {
    process.stderr.write(`filling: ${from - 1} of ${followers} followers\n`)
    const range = [from, Math.min(from + CHUNK - 1, followers)]
    await query(
      `INSERT INTO ${table('_User')} (id, created_at, updated_at, data)
       SELECT ${ids}, now(), now(), jsonb_build_object('username', 'follower ' || n)
       FROM generate_series($1::integer, $2::integer) AS n`,
      range,
    )
    await query(
      `INSERT INTO ${table('_Follower')} (id, created_at, updated_at, acl, readers, writers, data)
       SELECT id, now(), now(),
         jsonb_build_object($3::text, '{"read":true,"write":true}'::jsonb, id, '{"read":true,"write":true}'::jsonb),
         ARRAY[$3, id], ARRAY[$3, id],
         jsonb_build_object(
           'user', jsonb_build_object('__type', 'Pointer', 'className', '_User', 'objectId', $3),
           'follower', jsonb_build_object('__type', 'Pointer', 'className', '_User', 'objectId', id))
       FROM (SELECT ${ids} AS id FROM generate_series($1::integer, $2::integer) AS n) AS follower`,
      [...range, id],
    )
  }
  await query(`VACUUM ANALYZE ${table('_User')}, ${table('_Follower')}`)
}

/** Creates the objects and the inbox that other clients read. */
async function makeObjects({ url }: MessagingServer, sender: Sender): Promise<string[]> {
  const paths: string[] = []
  for (let n = 0; n < OBJECTS; n++) {
    const body = JSON.stringify({ title: `Title number ${n}`, text: 'Some words that a person wrote.' })
    const answer = await send({ url }, { method: 'POST', path: '/1.1/classes/Note', headers: KEYS, body })
    paths.push(`/1.1/classes/Note/${(JSON.parse(answer) as { objectId: string }).objectId}`)
    if (n % 10 === 0) paths.push(inboxOf(sender))
  }
  return paths
}

function inboxOf({ id }: Sender): string {
  const owner = JSON.stringify({ __type: 'Pointer', className: '_User', objectId: id })
  return `/1.1/subscribe/statuses?limit=20&owner=${encodeURIComponent(owner)}`
}

async function readFor(
  { url }: MessagingServer,
  { session }: Sender,
  paths: readonly string[],
  rate: number,
  seconds: number,
): Promise<Pick<DeliveryFigures, 'p50' | 'p99' | 'reads'>> {
  const headers = { ...KEYS, 'X-LC-Session': session }
  const requests = paths.map((path) => ({ method: 'GET', path, headers }) as const)
  const report = await runPaced({ url, requests, connections: READ_CONNECTIONS, until: { seconds }, minBody: 2 }, rate)
  if (report.fault !== null) throw new Error(report.fault)
  const { latencies } = report
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), reads: report.counted }
}

async function deliver(
  server: MessagingServer,
  sender: Sender,
  paths: readonly string[],
  { followers, reads }: PartContext['options'],
  name: string,
): Promise<DeliveryFigures> {
  process.stderr.write(`${name}\n`)
  const latencies: Awaited<ReturnType<typeof readFor>>[] = []
  let isDone = false
  const reading = (async () => {
    // In short rounds, so that none continues long after the last delivery.
    while (!isDone) latencies.push(await readFor(server, sender, paths, reads, 1))
  })()
  const began = performance.now()
  const id = await post(server, sender)
  const answered = performance.now() - began
  await untilAll(server, id, followers + 1)
  const elapsed = performance.now() - began
  isDone = true
  await reading
  const sorted = (key: 'p50' | 'p99') => latencies.map((round) => round[key]).toSorted((a, b) => a - b)
  return {
    name,
    answered,
    elapsed,
    reads: latencies.reduce((sum, round) => sum + round.reads, 0),
    p50: percentile(sorted('p50'), 0.5),
    // The worst second.
    p99: sorted('p99').at(-1)!,
  }
}

async function post({ url }: MessagingServer, { id, session }: Sender): Promise<string> {
  const user = { __type: 'Pointer', className: '_User', objectId: id }
  const body = { data: { text: 'hello' }, query: { className: '_Follower', where: { user }, keys: 'follower' } }
  const headers = { ...KEYS, 'X-LC-Key': APP_KEY, 'X-LC-Session': session }
  const answer = await send({ url }, { method: 'POST', path: '/1.1/statuses', headers, body: JSON.stringify(body) })
  return (JSON.parse(answer) as { objectId: string }).objectId
}

async function untilAll({ query, table }: MessagingServer, id: string, expected: number): Promise<void> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(INTERVAL)) {
    const [way] = await query<{ count: string }>(`SELECT count(*) AS count FROM ${table('$fan_outs')}`)
    if (Number(way!.count) > 0) continue
    const [row] = await query<{ count: string }>(
      `SELECT count(*) AS count FROM ${table('$inbox_entries')} WHERE status_id = $1`,
      [id],
    )
    if (Number(row!.count) !== expected) throw new Error(`${row!.count} of ${expected} inboxes have the status.`)
    return
  }
  throw new Error(`The status is not delivered after ${TIMEOUT_MS / 60_000} minutes.`)
}

/** Advances the numbers of each inbox, so that a new entry displaces an old one. */
async function fillInboxes({ query, table }: MessagingServer): Promise<void> {
  await query(`UPDATE ${table('$inboxes')} SET last_id = last_id + ${INBOX_SIZE - 2}`)
  await query(`VACUUM ANALYZE ${table('$inboxes')}, ${table('$inbox_entries')}`)
}
