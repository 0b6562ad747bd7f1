import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Cleanup } from '../cleanup.ts'
import { temporaryDirectory } from '../postgres.ts'
import type { Homeport } from './contestants/homeport.ts'
import { withConnections } from './http-connection.ts'
import type { FileOptions } from './options.ts'
import { SharpAlone } from './sharp-alone.ts'

/** As a telephone takes it. */
const SOURCE = { width: 4000, height: 3000 }
/** What Homeport takes where a request names none. */
const QUALITY = 75
/** How many are made at a time, by both. */
const AT_ONCE = 2
/** Connections that ask for what has to be made: two wait, so that the next one can begin when one has ended. */
const ASKING = 4
/** Connections that ask for what has been made. */
const CONNECTIONS = 16
/** How many are made in a round. */
const MADE = 60

/** Thumbnails in each round. */
export interface PictureFigures {
  readonly source: { readonly width: number; readonly height: number; readonly bytes: number }
  readonly atOnce: number
  readonly connections: number
  readonly rounds: readonly PictureRound[]
  /** Of the machine, before it began. */
  readonly load: number
}

export interface PictureRound {
  readonly alone: Thumbnailed
  /** Homeport, where nobody has asked for them before. */
  readonly made: Thumbnailed
  /** Homeport, where all of them have been made. */
  readonly cached: Thumbnailed
}

interface Thumbnailed {
  readonly perSecond: number
  /** Milliseconds of processor time for one, without that of the database; null where the system does not tell. */
  readonly processor: number | null
}

/** Thumbnails of one large picture, of sizes that differ a little: made by sharp alone, by Homeport, and shown again. */
export async function measurePictures(
  homeport: Homeport,
  { rounds, seconds }: FileOptions,
  cleanup: Cleanup,
): Promise<PictureFigures> {
  const load = loadavg()[0]!
  const bytes = await photograph()
  const source = join(await temporaryDirectory(cleanup), 'photograph.jpg')
  await writeFile(source, bytes)
  const alone = await SharpAlone.start(cleanup)
  const path = await withConnections(homeport.url, 1, ([connection]) =>
    homeport.upload(connection!, 'photograph.jpg', bytes),
  )
  const figures: PictureRound[] = []
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(`thumbnails: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}\n`)
    // Of every round others, so that none has been made before.
    const sizes = Array.from({ length: MADE }, (_, index) => ({ width: 150 + index, height: 150 + round }))
    const paths = sizes.map(({ width, height }) => `${path}?imageView2/1/w/${width}/h/${height}`)
    const byItself = await timed(alone, async () => {
      await alone.make({ source, sizes, atOnce: AT_ONCE, quality: QUALITY })
      return MADE
    })
    const made = await timed(homeport, () => askAll(homeport.url, paths))
    const cached = await timed(homeport, () => askAgain(homeport.url, paths, seconds))
    if (round > 0) figures.push({ alone: byItself, made, cached })
  }
  return {
    source: { ...SOURCE, bytes: bytes.length },
    atOnce: AT_ONCE,
    connections: CONNECTIONS,
    rounds: figures,
    load,
  }
}

/** A picture with areas and details, of about the bytes that a camera makes of it. */
async function photograph(): Promise<Buffer> {
  const coarse = { width: SOURCE.width / 8, height: SOURCE.height / 8, channels: 3 } as const
  const noise = randomBytes(coarse.width * coarse.height * coarse.channels)
  return sharp(noise, { raw: coarse }).resize(SOURCE).jpeg({ quality: 90 }).toBuffer()
}

/** @param work tells how many thumbnails it has got */
async function timed(whose: Pick<Homeport, 'processorTime'>, work: () => Promise<number>): Promise<Thumbnailed> {
  const before = whose.processorTime()
  const began = performance.now()
  const count = await work()
  const elapsed = performance.now() - began
  const after = whose.processorTime()
  const processor = before === null || after === null ? null : (after - before) / count
  return { perSecond: (count * 1000) / elapsed, processor }
}

/** Asks for each once. */
function askAll(url: string, paths: readonly string[]): Promise<number> {
  return withConnections(url, ASKING, async (connections) => {
    const left = [...paths]
    await Promise.all(
      connections.map(async (connection) => {
        for (let path = left.pop(); path; path = left.pop()) await connection.ask({ method: 'GET', path })
      }),
    )
    return paths.length
  })
}

/** Asks for all of them again and again. */
function askAgain(url: string, paths: readonly string[], seconds: number): Promise<number> {
  return withConnections(url, CONNECTIONS, async (connections) => {
    const until = performance.now() + seconds * 1000
    let answers = 0
    await Promise.all(
      connections.map(async (connection, number) => {
        for (let next = number; performance.now() < until; next += CONNECTIONS, answers++)
          await connection.ask({ method: 'GET', path: paths[next % paths.length]! })
      }),
    )
    return answers
  })
}
