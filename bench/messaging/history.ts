import type { Cleanup } from '../cleanup.ts'
import { median } from '../statistics.ts'
import { spread } from '../workload.ts'
import { logIn } from './client.ts'
import { Crowd } from './crowd.ts'
import { PAGE_SIZE, type Page } from './history-reader.ts'
import type { MessagingOptions } from './options.ts'
import type { MessagingServer } from './server.ts'
import { textOf } from './text.ts'

/** Milliseconds between two messages of the history. */
const STEP = 1000
/** The number of distinct pages read at the far end. */
const DEEP_PAGES = 1000
const CREATOR = 'creator'

export interface HistoryFigures {
  readonly depth: number
  /** p50 of a page in milliseconds, for each round. */
  readonly first: number[]
  readonly deep: number[]
}

/** Measures the newest page of a conversation and pages at its far end, alternating. */
export async function measureHistory(
  server: MessagingServer,
  { depth, rounds, seconds }: MessagingOptions,
  cleanup: Cleanup,
): Promise<HistoryFigures> {
  process.stderr.write(`history: filling a conversation with ${depth} messages\n`)
  const convId = await createConversation(server)
  const beginning = Date.now() - (depth + 1) * STEP
  await fill(server, convId, depth, beginning)
  const { url, appId } = server
  const gather = (clientId: string, pages: readonly Page[]) =>
    cleanup.keep(Crowd.gather({ kind: 'history', url, appId, clientId, convId, pages }), (crowd) => crowd.disperse())
  const first = await gather(CREATOR, [{ before: undefined, newest: idOf(depth) }])
  const deep = await gather(
    CREATOR,
    spread(DEEP_PAGES, DEEP_PAGES).map((n) => {
      const newest = PAGE_SIZE + n
      return { before: beginning + (newest + 1) * STEP, newest: idOf(newest) }
    }),
  )
  const figures: HistoryFigures = { depth, first: [], deep: [] }
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(`history: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}\n`)
    for (const [name, reader] of [['first', first] as const, ['deep', deep] as const]) {
      const { p50 } = await reader.run({ seconds: Math.max(1, seconds / 2), inFlight: 1 })
      // Round 0 warms up.
      if (round > 0) figures[name].push(p50)
    }
  }
  return figures
}

/** Returns the latency ratio of a page at the far end: the median of the ratios of each round. */
export function depthRatio({ first, deep }: HistoryFigures): number {
  return median(deep.map((p50, round) => p50 / first[round]!))
}

async function createConversation(server: MessagingServer): Promise<string> {
  const creator = await logIn(server, CREATOR)
  const convMessage = { m: [CREATOR, 'other'], attr: { data: '{}' } }
  const answer = await creator.request({ cmd: 'conv', op: 'start', convMessage })
  creator.socket.end()
  return answer.convMessage!.cid!
}

/** Returns an id of the length that the server uses. */
function idOf(n: number): string {
  return String(n).padStart(22, '0')
}

/** Writes the messages 1 to `depth` directly into the table, alternating between the two members. */
async function fill({ query, table }: MessagingServer, convId: string, depth: number, beginning: number) {
  await query(
    `INSERT INTO ${table('$messages')}
       (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt, type, ip)
     SELECT
       $1,
       $2::bigint + n * $3::bigint,
       lpad(n::text, 22, '0'),
       $1,
       CASE n % 2 WHEN 0 THEN $4 ELSE 'other' END,
       $5,
       false,
       false,
       false,
       -1,
       '127.0.0.1'
     FROM generate_series(1, $6::integer) AS n`,
    [convId, beginning, STEP, CREATOR, textOf(0), depth],
  )
  // The database does this automatically after many inserts, only later.
  await query(`VACUUM ANALYZE ${table('$messages')}`)
}
