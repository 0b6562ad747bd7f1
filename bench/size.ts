import type { WireRequest } from './contestants/contestant.ts'
import type { Homeport } from './contestants/homeport.ts'
import type { LoadGenerator } from './load.ts'
import type { Options } from './options.ts'
import { median } from './statistics.ts'
import { GROUP_SIZE, groupOf, sampleObject, send, spread } from './workload.ts'

const SMALL = 10_000

export interface SizeFigure {
  readonly operation: 'get' | 'query'
  readonly connections: number
  /** p50 in milliseconds for each round. */
  readonly small: number[]
  readonly large: number[]
}

export interface SizeFigures {
  readonly sizes: { readonly small: number; readonly large: number }
  readonly figures: readonly SizeFigure[]
}

/** A class of some size, with requests whose responses do not depend on the size. */
interface SizedClass {
  readonly requests: Record<SizeFigure['operation'], { readonly list: WireRequest[]; readonly minBody: number }>
}

/**
 * Measures a get and an indexed equality query on a small and on a large class, alternating: with one connection, which measures
 * the latency of a request, and with many, which measure its share of the machine.
 */
export async function measureSizes(server: Homeport, load: LoadGenerator, options: Options): Promise<SizeFigures> {
  const classes = {
    small: await sizedClass(server, 'Small', SMALL, load),
    large: await sizedClass(server, 'Large', options.large, load),
  }
  const figures: SizeFigure[] = []
  for (const operation of ['get', 'query'] as const) {
    for (const connections of [1, options.connections]) {
      const figure: SizeFigure = { operation, connections, small: [], large: [] }
      for (let round = 0; round <= options.rounds; round++) {
        process.stderr.write(`size: ${operation}, connections: ${connections}, round ${round} of ${options.rounds}\n`)
        for (const size of ['small', 'large'] as const) {
          const { list, minBody } = classes[size].requests[operation]
          const until = { seconds: Math.max(1, options.seconds / 2) }
          const { p50 } = await load.run({ url: server.url, requests: list, connections, until, minBody })
          // Round 0 warms up.
          if (round > 0) figure[size].push(p50)
        }
      }
      figures.push(figure)
    }
  }
  return { sizes: { small: SMALL, large: options.large }, figures }
}

/** Returns the median latency ratio on the large class. */
export function growth({ small, large }: SizeFigure): number {
  return median(large.map((p50, round) => p50 / small[round]!))
}

async function sizedClass(server: Homeport, className: string, size: number, load: LoadGenerator): Promise<SizedClass> {
  process.stderr.write(`size: filling a class with ${size} objects\n`)
  // The first object defines the class and its fields; the others are written by SQL.
  const first = server.wire({ kind: 'create', className, object: sampleObject(0, size) })
  await send(server, first)
  await fill(server, className, size)
  const gets = spread(1000, size - 1).map((n) => server.wire({ kind: 'get', className, id: idOf(n + 1) }))
  const queries = spread(1000, size / GROUP_SIZE).map((n) =>
    server.wire({ kind: 'query', className, field: 'group', value: groupOf(n, size) }),
  )
  process.stderr.write(`size: waiting for the automatic index\n`)
  await server.index(className, 'group', queries[0]!, load)
  const answer = JSON.parse(await send(server, queries[1]!)) as { results: unknown[] }
  if (answer.results.length !== GROUP_SIZE)
    throw new Error(`A query of ${className} finds ${answer.results.length} objects instead of ${GROUP_SIZE}.`)
  const minBodyOf = async (request: WireRequest) => Math.floor((await send(server, request)).length * 0.9)
  return {
    requests: {
      get: { list: gets, minBody: await minBodyOf(gets[0]!) },
      query: { list: queries, minBody: await minBodyOf(queries[0]!) },
    },
  }
}

/** Returns an increasing id of 24 hexadecimal characters, like those of the server. */
function idOf(n: number): string {
  return n.toString(16).padStart(24, '0')
}

/** Writes the objects 1 to `size` - 1 of `sampleObject` directly into the table of the class. */
async function fill({ database, table }: Homeport, className: string, size: number): Promise<void> {
  const { text } = sampleObject(0, size)
  await database.query(
    `INSERT INTO ${table(className)} (id, created_at, updated_at, data)
     SELECT
       lpad(to_hex(n), 24, '0'),
       now(),
       now(),
       jsonb_build_object(
         'title', 'Title number ' || n,
         'text', $1::text,
         'score', 0,
         'group', 'group-' || n % $2::integer,
         'published', n % 2 = 0)
     FROM generate_series(1, $3::integer) AS n`,
    [text, Math.ceil(size / GROUP_SIZE), size - 1],
  )
}
