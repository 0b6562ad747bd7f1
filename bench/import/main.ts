import { mkdir } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from '../cleanup.ts'
import { type MessagingServer, startMessaging } from '../messaging/server.ts'
import { temporaryDirectory } from '../postgres.ts'
import { runBenchmark } from '../run-benchmark.ts'
import { copyTable } from './copy.ts'
import type { ImportFigures, NeighbourFigure, RecordFigure } from './figures.ts'
import { Neighbour } from './neighbour.ts'
import { type ImportOptions, readOptions } from './options.ts'
import { report } from './report.ts'
import { beginImport } from './run-import.ts'
import { messageSource, objectSource, packed, type Source } from './source.ts'

const CLASS = 'Imported'

/**
 * Runs the benchmark of imports and prints its figures.
 * @param root the project folder, with a build in `dist`
 */
export async function benchImport(root: string, argv: readonly string[]): Promise<void> {
  const options = readOptions(argv)
  await runBenchmark(options.json, (cleanup) => measure(root, options, cleanup), report)
}

async function measure(root: string, options: ImportOptions, cleanup: Cleanup): Promise<ImportFigures> {
  const { parts, rounds } = options
  const folder = await temporaryDirectory(cleanup)
  const objects = async () => {
    const source = await objectSource(folder, CLASS, options.objects, options.seed)
    return options.packed ? packed(source) : source
  }
  const records: RecordFigure[] = []
  // Each has a separate server, so that its memory and files are independent of others.
  const take = (name: RecordFigure['name'], table: string, source: Source) =>
    cleanup.within(async (inner) => {
      const server = await startMessaging(root, false, inner)
      records.push(await measureRecords(root, server, name, table, source, rounds, inner))
    })
  const source = parts.has('objects') || parts.has('neighbour') ? await objects() : null
  if (source && parts.has('objects')) await take('objects', CLASS, source)
  const neighbour =
    source && parts.has('neighbour')
      ? await cleanup.within((inner) => measureNeighbour(root, folder, source, options, inner))
      : undefined
  if (parts.has('messages')) {
    const own = join(folder, 'messages')
    await mkdir(own)
    await take('messages', '$messages', await messageSource(own, options.messages, options.seed))
  }
  return {
    date: new Date().toISOString(),
    machine: {
      processors: cpus().length,
      model: cpus()[0]?.model ?? 'unknown',
      memory: totalmem(),
      node: process.version,
    },
    options: { rounds, packed: options.packed },
    records,
    ...(neighbour && { neighbour }),
  }
}

async function measureRecords(
  root: string,
  server: MessagingServer,
  name: RecordFigure['name'],
  table: string,
  source: Source,
  amount: number,
  cleanup: Cleanup,
): Promise<RecordFigure> {
  const rounds: RecordFigure['rounds'][number][] = []
  for (let round = 1; round <= amount; round++) {
    process.stderr.write(`${name}: round ${round} of ${amount}\n`)
    if (round > 1) await server.query(`TRUNCATE ${server.table(table)}`)
    const imported = await (await beginImport(root, server, server.appId, source, cleanup)).done
    const copied = await copyTable(server, table, source.records)
    rounds.push({ imported, copied })
  }
  const { records, bytes, unpacked } = source
  return { name, records, bytes, unpacked, rounds }
}

/** Measures the neighbor's queries; the import must last longer than they do. */
async function measureNeighbour(
  root: string,
  folder: string,
  source: Source,
  { rounds, seconds }: ImportOptions,
  cleanup: Cleanup,
): Promise<NeighbourFigure> {
  const server = await startMessaging(root, false, cleanup)
  const neighbour = await Neighbour.open(root, server, folder, cleanup)
  const without: { p50: number; p99: number }[] = []
  const during: { p50: number; p99: number; perSecond: number }[] = []
  const readSoFar = async () => {
    const [row] = await server.query<{ read: string }>(
      `SELECT coalesce(sum((counts->'${CLASS}'->>'read')::bigint), 0) AS read FROM ${server.table('$imports')}`,
    )
    return Number(row!.read)
  }
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`neighbour: round ${round} of ${rounds}\n`)
    if (round > 1) await server.query(`TRUNCATE ${server.table(CLASS)}`)
    without.push(await neighbour.request(seconds))
    const importing = await beginImport(root, server, server.appId, source, cleanup)
    const load = await neighbour.request(seconds)
    during.push({ ...load, perSecond: (await readSoFar()) / seconds })
    if (!importing.isRunning())
      throw new Error(`the import was over before the neighbour had asked for ${seconds} s; take more --objects`)
    await importing.done
  }
  return { without, during }
}
