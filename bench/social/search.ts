import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN_TOKEN, MASTER_KEY } from '../contestants/homeport.ts'
import { type MessagingServer, startMessaging } from '../messaging/server.ts'
import { integer, section } from '../messaging/table.ts'
import { percentile } from '../statistics.ts'
import { send } from '../workload.ts'
import { type Article, articles, COMMON, RARE } from './articles.ts'
import type { PartContext, PartReport } from './part.ts'

const APP = 'bench'
const KEYS = { 'X-LC-Id': APP, 'X-LC-Key': `${MASTER_KEY},master`, 'Content-Type': 'application/json' }
const ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }

const CLASS = 'Article'
/** Articles per insert. */
const CHUNK = 5000
/** Polling interval of the index progress, in milliseconds. */
const INTERVAL = 200
const TIMEOUT_MS = 60 * 60_000
/** The number of sequential repetitions of each query. */
const TIMES = 60
/** Sequential creates, without search and with it. */
const CREATES = 500

interface QueryFigures {
  readonly name: string
  readonly q: string
  readonly hits: number
  /** milliseconds */
  readonly p50: number
  readonly p99: number
}

/** The queries, by name; their words can vary with each request. */
const QUERIES: readonly (readonly [name: string, q: (n: number) => string, parameters?: string])[] = [
  ['rare words', (n) => RARE.english(n)],
  ['rare words, Chinese', (n) => RARE.chinese(n)],
  ['a word of every second object', () => COMMON.english],
  ['the same, Chinese', () => COMMON.chinese],
  ['two words', (n) => `${RARE.english(n)} AND ${COMMON.english}`],
  ['either of two', (n) => `${RARE.english(n)} ${COMMON.english}`],
  ['a phrase', (n) => `"${RARE.english(n)} ${RARE.english(n + 1)}"`],
  ['in the title', (n) => `title:${RARE.english(n)}`],
  ['a beginning', (n) => `${RARE.english(n).slice(0, 4)}*`],
  ['fuzzy', (n) => `${RARE.english(n)}~`],
  ['a word and a range', () => `${COMMON.english} AND score:[100 TO 200]`],
  ['a common word by score', () => COMMON.english, '&order=-score'],
  ['the same, Chinese', () => COMMON.chinese, '&order=score'],
  ['rare words, highlighted', (n) => RARE.english(n), '&highlights=*'],
]

/**
 * Measures searches among many objects, half of them Chinese, the cost of indexing them, and the cost of writes with an index.
 */
export async function measureSearch({ root, options, cleanup }: PartContext): Promise<PartReport> {
  const { articles: count } = options
  const server = await startMessaging(root, false, cleanup)
  await create(server, { title: 'first', content: 'first', score: 0 })
  await fill(server, count)
  const before = await creates(server)
  const began = performance.now()
  await switchOn(server)
  await untilIndexed(server)
  const seconds = (performance.now() - began) / 1000
  const sizes = await sizesOf(server)
  const figures: QueryFigures[] = []
  // Fewer than ten thousand matches are sorted without an index.
  if (count > 40_000) await untilOrdered(server)
  for (const [name, q, parameters = ''] of QUERIES) figures.push(await search(server, name, q, parameters))
  const after = await creates(server)
  const seen = await untilSeen(server)
  const worst = Math.max(...figures.map(({ p99 }) => p99))
  return {
    figures: { count, seconds, sizes, queries: figures, creates: { before, after }, seen },
    sections: [
      section(`Search among ${integer(count)} objects, ${TIMES} times each, one after the other, 20 results`, [
        ['', 'query', 'hits', 'p50 ms', 'p99 ms'],
        ...figures.map(({ name, q, hits, p50, p99 }) => [name, q, integer(hits), p50.toFixed(1), p99.toFixed(1)]),
      ]),
      section('Its index', [
        ['objects indexed/s', 'MB of objects', 'MB of words', 'MB of their index'],
        [
          integer(count / seconds),
          integer(sizes.objects / 1e6),
          integer(sizes.words / 1e6),
          integer(sizes.index / 1e6),
        ],
      ]),
      section(`What writes cost: ${CREATES} creates, one after the other`, [
        ['', 'p50 ms', 'p99 ms'],
        ['not searched', before.p50.toFixed(1), before.p99.toFixed(1)],
        ['searched', after.p50.toFixed(1), after.p99.toFixed(1)],
        ['until it is found', seen.p50.toFixed(1), seen.p99.toFixed(1)],
      ]),
    ],
    bars: [
      { promise: 'found within a second', measured: `${seen.p99.toFixed(0)} ms`, kept: seen.p99 <= 1000 },
      { promise: 'no search above 1 s', measured: `${worst.toFixed(0)} ms`, kept: worst <= 1000 },
    ],
  }
}

async function create({ url }: MessagingServer, article: Article): Promise<void> {
  await send({ url }, { method: 'POST', path: `/1.1/classes/${CLASS}`, headers: KEYS, body: JSON.stringify(article) })
}

async function fill({ query, table }: MessagingServer, count: number): Promise<void> {
  const chunk: Article[] = []
  let written = 0
  const write = async () => {
    if (written % 100_000 === 0) process.stderr.write(`filling: ${written} of ${count} articles\n`)
    await query(
      `INSERT INTO ${table(CLASS)} (id, created_at, updated_at, data)
       SELECT lpad(to_hex(1700000000 + n), 8, '0') || '0123456789' || lpad(to_hex(n), 6, '0'), now(), now(), data
       FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS article (data, place), LATERAL (SELECT (place + $2)::integer AS n) AS number`,
      [JSON.stringify(chunk), written],
    )
    written += chunk.length
    chunk.length = 0
  }
  for (const article of articles(count)) if (chunk.push(article) === CHUNK) await write()
  if (chunk.length > 0) await write()
  await query(`VACUUM ANALYZE ${table(CLASS)}`)
}

async function switchOn({ url }: MessagingServer): Promise<void> {
  const fields = Object.fromEntries(['title', 'content', 'score'].map((name) => [name, { searchable: true }]))
  const body = JSON.stringify({ fields })
  const answer = await fetch(`${url}/admin/apps/${APP}/classes/${CLASS}`, { method: 'PATCH', headers: ADMIN, body })
  if (!answer.ok) throw new Error(await answer.text())
}

async function untilIndexed({ url, query, table }: MessagingServer): Promise<void> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(INTERVAL)) {
    const answer = await send({ url }, { method: 'GET', path: `/admin/apps/${APP}/search`, headers: ADMIN })
    const { classes } = JSON.parse(answer) as { classes: { building: boolean; pending: number }[] }
    if (classes.length > 0 && classes.every(({ building, pending }) => !building && pending === 0)) {
      await query(`VACUUM ANALYZE ${table('$search_1')}`)
      return
    }
  }
  throw new Error('the index was not finished')
}

/** Repeats a search ordered by score until the index it triggers is built (docs/search.md). */
async function untilOrdered({ url, query }: MessagingServer): Promise<void> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(INTERVAL)) {
    const path = `/1.1/search/select?clazz=${CLASS}&q=${COMMON.english}&limit=20&order=-score`
    await send({ url }, { method: 'GET', path, headers: KEYS })
    const made = await query(`
      SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE indrelid = 'app_${APP}."${CLASS}"'::regclass AND relname LIKE 'auto%'
        AND indisvalid AND obj_description(indexrelid, 'pg_class') IS NOT NULL`)
    if (made.length > 0) return
  }
  throw new Error('the index of the order was not made')
}

async function sizesOf({ query, table }: MessagingServer) {
  const [row] = await query<{ objects: string; words: string; index: string }>(`
    SELECT pg_total_relation_size('${table(CLASS)}') AS objects,
      pg_table_size('${table('$search_1')}') AS words, pg_indexes_size('${table('$search_1')}') AS index`)
  return { objects: Number(row!.objects), words: Number(row!.words), index: Number(row!.index) }
}

async function search(
  { url }: MessagingServer,
  name: string,
  q: (n: number) => string,
  parameters: string,
): Promise<QueryFigures> {
  process.stderr.write(`${name}\n`)
  const times: number[] = []
  let hits = 0
  for (let n = 0; n < TIMES + 3; n++) {
    const path = `/1.1/search/select?clazz=${CLASS}&limit=20&q=${encodeURIComponent(q(n))}${parameters}`
    const began = performance.now()
    const answer = await send({ url }, { method: 'GET', path, headers: KEYS })
    hits = (JSON.parse(answer) as { hits: number }).hits
    // The first ones run with cold caches.
    if (n >= 3) times.push(performance.now() - began)
  }
  return { name, q: q(0), hits, ...figuresOf(times) }
}

async function creates(server: MessagingServer) {
  const times: number[] = []
  for (const article of articles(CREATES)) {
    const began = performance.now()
    await create(server, article)
    times.push(performance.now() - began)
  }
  return figuresOf(times)
}

/** Measures the time from a create until a search finds the object. */
async function untilSeen(server: MessagingServer) {
  const times: number[] = []
  for (let n = 0; n < 20; n++) {
    const word = `seen${n}x`
    const began = performance.now()
    await create(server, { title: word, content: word, score: n })
    for (;;) {
      const path = `/1.1/search/select?clazz=${CLASS}&q=${word}`
      const answer = await send({ url: server.url }, { method: 'GET', path, headers: KEYS })
      if ((JSON.parse(answer) as { hits: number }).hits > 0) break
      await sleep(5)
    }
    times.push(performance.now() - began)
  }
  return figuresOf(times)
}

function figuresOf(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
}
