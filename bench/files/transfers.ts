import { createHash, randomBytes } from 'node:crypto'
import { loadavg } from 'node:os'
import type { ContestantName, FileContestant } from './contestants/contestant.ts'
import type { Homeport } from './contestants/homeport.ts'
import { type HttpConnection, withConnections } from './http-connection.ts'
import type { FileOptions } from './options.ts'

/** Files of one size. */
interface Size {
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** The number of files for downloads. */
  readonly files: number
  readonly connections: number
  /** The number of uploads per round, whatever their duration: they need disk space. */
  readonly uploads: number
}

const SIZES: readonly Size[] = [
  { name: '10 KB', size: 10_000, files: 200, connections: 16, uploads: 400 },
  { name: '1 MB', size: 1_000_000, files: 50, connections: 8, uploads: 64 },
  { name: '64 MB', size: 64_000_000, files: 3, connections: 2, uploads: 4 },
]

/** The result of one round of one contestant. */
export interface Transferred {
  /** Bytes per second. */
  readonly rate: number
  /** CPU time per megabyte in milliseconds; null where unavailable. */
  readonly processor: number | null
}

export interface TransferFigure {
  readonly operation: 'download' | 'upload'
  /** The size of a file. */
  readonly size: string
  readonly connections: number
  /** The rounds of each contestant in order; rounds with the same index ran one after the other. */
  readonly rounds: Partial<Record<ContestantName, readonly Transferred[]>>
  /** The load of the machine before the start. */
  readonly load: number
}

/** The stored files of each contestant, as paths. */
type Stored = ReadonlyMap<FileContestant, readonly string[]>

/** Measures downloads and uploads of each size, alternating between the contestants. */
export async function measureTransfers(
  homeport: Homeport,
  others: readonly FileContestant[],
  options: FileOptions,
): Promise<TransferFigure[]> {
  const contestants = [homeport, ...others]
  const figures: TransferFigure[] = []
  for (const size of SIZES) {
    const bytes = randomBytes(size.size)
    const stored = await fill(homeport, others, size, bytes)
    const seconds = options.seconds
    figures.push(
      await alternately('download', size, contestants, options, (contestant) =>
        download(contestant, stored.get(contestant)!, size, seconds),
      ),
      await alternately('upload', size, contestants, options, (contestant) => upload(contestant, size, bytes)),
    )
  }
  return figures
}

/** Stores the files: nginx serves the files of Homeport; other contestants store equal ones. */
async function fill(
  homeport: Homeport,
  others: readonly FileContestant[],
  { name, files }: Size,
  bytes: Buffer,
): Promise<Stored> {
  process.stderr.write(`${name}: storing ${files} files\n`)
  const store = (contestant: FileContestant) =>
    withConnections(contestant.url, 1, async ([connection]) => {
      const paths: string[] = []
      while (paths.length < files) paths.push(await contestant.upload(connection!, newName(), bytes))
      return paths
    })
  const stored = new Map<FileContestant, readonly string[]>([[homeport, await store(homeport)]])
  for (const contestant of others) {
    const isSame = contestant.name === 'nginx'
    stored.set(contestant, isSame ? await homeport.pathsOf(stored.get(homeport)!) : await store(contestant))
  }
  for (const [{ name: whose, url }, [path]] of stored) {
    const response = await fetch(url + path)
    if (md5(new Uint8Array(await response.arrayBuffer())) !== md5(bytes))
      throw new Error(`${whose} gives out other bytes than it has got (status ${response.status}).`)
  }
  return stored
}

/** Runs one round per contestant after a warm-up, so that changes in machine speed affect all equally. */
async function alternately(
  operation: TransferFigure['operation'],
  { name, connections }: Size,
  contestants: readonly FileContestant[],
  { rounds }: FileOptions,
  run: (contestant: FileContestant) => Promise<Run>,
): Promise<TransferFigure> {
  const load = loadavg()[0]!
  const measured: Partial<Record<ContestantName, Transferred[]>> = {}
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(`${operation} ${name}: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}\n`)
    for (const contestant of contestants) {
      const before = contestant.processorTime()
      const { bytes, elapsed } = await run(contestant)
      const after = contestant.processorTime()
      if (round === 0) continue
      const processor = before === null || after === null ? null : (after - before) / (bytes / 1_000_000)
      measured[contestant.name] = [...(measured[contestant.name] ?? []), { rate: (bytes * 1000) / elapsed, processor }]
    }
  }
  return { operation, size: name, connections, rounds: measured, load }
}

interface Run {
  readonly bytes: number
  /** Milliseconds. */
  readonly elapsed: number
}

async function download(
  { url }: FileContestant,
  paths: readonly string[],
  { size, connections }: Size,
  seconds: number,
): Promise<Run> {
  const until = performance.now() + seconds * 1000
  return together(url, connections, async (connection, number) => {
    let bytes = 0
    for (let next = number; performance.now() < until; next += connections) {
      const path = paths[next % paths.length]!
      const answer = await connection.request({ method: 'GET', path })
      if (answer.size !== size) throw new Error(`${url}${path} has ${answer.size} bytes, not ${size}.`)
      bytes += size
    }
    return bytes
  })
}

async function upload(contestant: FileContestant, { size, uploads, connections }: Size, bytes: Buffer): Promise<Run> {
  let left = uploads
  return together(contestant.url, connections, async (connection) => {
    let sent = 0
    for (; left > 0; sent += size) {
      left--
      await contestant.upload(connection, newName(), bytes)
    }
    return sent
  })
}

/** @param work uses one connection and returns the number of bytes transferred */
function together(
  url: string,
  count: number,
  work: (connection: HttpConnection, number: number) => Promise<number>,
): Promise<Run> {
  return withConnections(url, count, async (connections) => {
    const began = performance.now()
    const moved = await Promise.all(connections.map(work))
    return { bytes: moved.reduce((sum, bytes) => sum + bytes, 0), elapsed: performance.now() - began }
  })
}

let names = 0

function newName(): string {
  names++
  return `file-${names}.bin`
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}
