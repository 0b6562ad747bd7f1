import type { WireRequest } from '../contestants/contestant.ts'
import { MASTER_KEY } from '../contestants/homeport.ts'
import { LoadGenerator, type LoadResult } from '../load.ts'
import { type MessagingServer, startMessaging } from '../messaging/server.ts'
import { integer, section } from '../messaging/table.ts'
import { send, spread } from '../workload.ts'
import type { PartContext, PartReport } from './part.ts'
import { measureSortedSet, type SortedSetFigures } from './sorted-set.ts'

const APP = 'bench'
const KEYS = { 'X-LC-Id': APP, 'X-LC-Key': `${MASTER_KEY},master`, 'Content-Type': 'application/json' }
const BOARDS = '/1.1/leaderboard/leaderboards'

/** Members of the smaller leaderboard. */
const FEW = 10_000
/** Distinct values: several members share each. */
const VALUES = 1_000_003
/** Prepared requests, which are repeated. */
const REQUESTS = 20_000
const CHUNK = 200_000
/** Members per rank bucket, and lower buckets per upper one (`leaderboards/rank-buckets.ts`). */
const PIECE = 128
const BUCKETS_OF_UPPER = 256
const MANY_CONNECTIONS = 16
/** Updates per second while ranks are read. */
const WRITES = 50

const OPERATIONS = ['update', 'rank', 'page around', 'page in the middle', 'first page', 'rank under writes'] as const
type Operation = (typeof OPERATIONS)[number]

interface OperationFigures {
  readonly members: number
  readonly operation: Operation
  /** Over one connection. */
  readonly alone: LoadResult
  readonly many: LoadResult
}

/**
 * Measures values and ranks in a leaderboard of ten thousand members, and in a much larger one, compared with sorted sets of
 * Redis.
 */
export async function measureLeaderboards({ root, options, cleanup }: PartContext): Promise<PartReport> {
  const server = await startMessaging(root, false, cleanup)
  const [load, writers] = [new LoadGenerator(), new LoadGenerator()]
  await cleanup.keep(Promise.resolve(), () => load.stop())
  await cleanup.keep(Promise.resolve(), () => writers.stop())
  const figures: OperationFigures[] = []
  const sizes = [FEW, options.members]
  const nameOf = (members: number) => `board_${members}`
  for (const members of sizes) await makeBoard(server, nameOf(members), members)
  await server.query('VACUUM ANALYZE')
  for (const operation of OPERATIONS) {
    // Directly after each other, so that other load on the machine affects both.
    for (const members of sizes) {
      const name = nameOf(members)
      process.stderr.write(`${integer(members)} members: ${operation}\n`)
      const writing =
        operation === 'rank under writes' ? writeOn(writers, server, name, members, options.seconds) : null
      const requests = requestsOf(operation, name, members)
      const measure = (connections: number) =>
        load.run({ url: server.url, requests, connections, until: { seconds: options.seconds }, minBody: 2 })
      const alone = await measure(1)
      const many = await measure(MANY_CONNECTIONS)
      figures.push({ members, operation, alone, many })
      process.stderr.write(`  p50 ${alone.p50.toFixed(2)} ms, ${integer(many.perSecond)} a second\n`)
      await writing
    }
  }
  const sets: SortedSetFigures[] = []
  for (const members of [FEW, options.members])
    sets.push(...(await measureSortedSet(members, options.seconds, cleanup)))
  return { figures: { homeport: figures, redis: sets }, sections: sectionsOf(figures, sets), bars: barsOf(figures) }
}

async function makeBoard(server: MessagingServer, name: string, members: number): Promise<void> {
  const body = { statisticName: name, memberType: '_Entity', updateStrategy: 'last', versionChangeInterval: 'never' }
  await send(server, { method: 'POST', path: BOARDS, headers: KEYS, body: JSON.stringify(body) })
  const [row] = await server.query<{ board: number }>(
    `SELECT board FROM ${server.table('$leaderboards')} WHERE name = $1`,
    [name],
  )
  const { board } = row!
  // Creating an index afterwards takes a tenth of the time.
  const indexes = await server.query<{ name: string; made: string }>(
    `SELECT indexname AS name, indexdef AS made FROM pg_indexes WHERE tablename = '$statistics' AND indexname = 'statistics_ranking'`,
  )
  await server.query(`DROP INDEX ${server.table('statistics_ranking')}`)
  for (let from = 0; from < members; from += CHUNK) {
    process.stderr.write(`filling: ${from} of ${members} members\n`)
    await server.query('BEGIN')
    await server.query(`SET LOCAL homeport.uncounted = 'on'`)
    await server.query(
      `INSERT INTO ${server.table('$statistics')} (board, version, member, score, reached)
       SELECT $1, 0, 'member-' || n, -(n::bigint * 2654435761 % ${VALUES}), nextval('${server.table('$statistics_reached')}')
       FROM generate_series($2::integer, $3::integer) AS n`,
      [board, from, Math.min(from + CHUNK, members) - 1],
    )
    await server.query('COMMIT')
  }
  for (const { made } of indexes) await server.query(made)
  const buckets = server.table('$rank_fences')
  await server.query(
    `INSERT INTO ${buckets} (board, version, level, score, reached, members)
     SELECT $1, 0, 0, CASE number WHEN 1 THEN '-infinity' ELSE score END, CASE number WHEN 1 THEN 0 ELSE reached END,
       coalesce(lead(number) OVER (ORDER BY number), $2::bigint + 1) - number
     FROM (
       SELECT score, reached, row_number() OVER (ORDER BY score, reached) AS number
       FROM ${server.table('$statistics')} WHERE board = $1 AND version = 0
     ) AS place
     WHERE number % ${PIECE} = 1
     ON CONFLICT (board, version, level, score, reached) DO UPDATE SET members = excluded.members`,
    [board, members],
  )
  await server.query(
    `INSERT INTO ${buckets} (board, version, level, score, reached, members)
     SELECT $1, 0, 1, (array_agg(score ORDER BY number))[1], (array_agg(reached ORDER BY number))[1], sum(members)
     FROM (
       SELECT *, row_number() OVER (ORDER BY score, reached) - 1 AS number
       FROM ${buckets} WHERE board = $1 AND version = 0 AND level = 0
     ) AS lower
     GROUP BY number / ${BUCKETS_OF_UPPER}
     ON CONFLICT (board, version, level, score, reached) DO UPDATE SET members = excluded.members`,
    [board],
  )
}

function requestsOf(operation: Operation, name: string, members: number): WireRequest[] {
  const ranks = `${BOARDS}/entity/${name}/ranks`
  const some = spread(Math.min(REQUESTS, members), members)
  const get = (path: string): WireRequest => ({ method: 'GET', path, headers: KEYS })
  switch (operation) {
    case 'update':
      return some.map((n, index) => ({
        method: 'POST',
        path: `/1.1/leaderboard/entities/member-${n}/statistics`,
        headers: KEYS,
        body: JSON.stringify([{ statisticName: name, statisticValue: (n * 31 + index * 7919) % VALUES }]),
      }))
    case 'rank':
    case 'rank under writes':
      return some.map((n) => get(`${ranks}/member-${n}?maxResultsCount=1`))
    case 'page around':
      return some.map((n) => get(`${ranks}/member-${n}`))
    case 'page in the middle':
      return some.map((n) => get(`${ranks}?startPosition=${n}`))
    case 'first page':
      return [get(ranks)]
  }
}

/** Sends updates from a few clients throughout. */
async function writeOn(
  load: LoadGenerator,
  { url }: MessagingServer,
  name: string,
  members: number,
  seconds: number,
): Promise<void> {
  const requests = requestsOf('update', name, members)
  await load.run({ url, requests, connections: 4, until: { seconds: 2 * seconds }, minBody: 2, rate: WRITES })
}

function sectionsOf(figures: readonly OperationFigures[], sets: readonly SortedSetFigures[]): string[] {
  const rows = [...figures, ...sets]
    .toSorted((one, other) => one.members - other.members)
    .map((figure) => [
      'name' in figure ? figure.name : figure.operation,
      integer(figure.members),
      figure.alone.p50.toFixed(2),
      figure.alone.p99.toFixed(2),
      integer(figure.many.perSecond),
      figure.many.p50.toFixed(1),
      figure.many.p99.toFixed(1),
    ])
  return [
    section('Leaderboards', [
      ['', 'members', 'p50 ms', 'p99 ms', `a second, ${MANY_CONNECTIONS} connections`, 'p50 ms', 'p99 ms'],
      ...rows,
    ]),
  ]
}

function barsOf(figures: readonly OperationFigures[]): PartReport['bars'] {
  const few = (operation: Operation) =>
    figures.find((figure) => figure.operation === operation && figure.members === FEW)!
  return figures
    .filter(
      ({ members, operation }) =>
        members !== FEW && ['update', 'rank', 'rank under writes', 'page in the middle'].includes(operation),
    )
    .map(({ operation, members, alone }) => {
      const ratio = alone.p50 / few(operation).alone.p50
      return {
        promise: `${operation} at ${integer(members)} members: p50 within 2 times that at ${integer(FEW)}`,
        measured: `${ratio.toFixed(2)} times`,
        kept: ratio <= 2,
      }
    })
}
