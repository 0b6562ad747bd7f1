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

/** The size of a phone photo. */
const SOURCE = { width: 4000, height: 3000 }
/** Homeport's default quality. */
const QUALITY = 75
/** The number of images processed concurrently, by both. */
const AT_ONCE = 2
/** Connections that request new images: two of them wait, so that the next image starts immediately. */
const CLIENTS = 4
/** Connections that request cached images. */
const CONNECTIONS = 16
/** The number of images created in a round. */
const MADE = 60

/** The results of each round. */
export interface PictureFigures {
  readonly source: { readonly width: number; readonly height: number; readonly bytes: number }
  readonly atOnce: number
  readonly connections: number
  readonly rounds: readonly PictureRound[]
  /** The load of the machine before the start. */
  readonly load: number
}

export interface PictureRound {
  readonly alone: Thumbnailed
  /** Homeport with new sizes. */
  readonly made: Thumbnailed
  /** Homeport with cached images. */
  readonly cached: Thumbnailed
}

interface Thumbnailed {
  readonly perSecond: number
  /** CPU time per image in milliseconds, without the database; null where unavailable. */
  readonly processor: number | null
}

/**
 * Measures thumbnails of one large image in slightly different sizes: created by sharp alone, created by Homeport, and served
 * from its cache.
 */
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
    // Each round uses other sizes, so that no image is cached.
    const sizes = Array.from({ length: MADE }, (_, index) => ({ width: 150 + index, height: 150 + round }))
    const paths = sizes.map(({ width, height }) => `${path}?imageView2/1/w/${width}/h/${height}`)
    const byItself = await timed(alone, async () => {
      await alone.make({ source, sizes, atOnce: AT_ONCE, quality: QUALITY })
      return MADE
    })
    const made = await timed(homeport, () => requestAll(homeport.url, paths))
    const cached = await timed(homeport, () => requestRepeatedly(homeport.url, paths, seconds))
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

/** Returns an image with areas and details, of a similar byte size to a photo. */
async function photograph(): Promise<Buffer> {
  const coarse = { width: SOURCE.width / 8, height: SOURCE.height / 8, channels: 3 } as const
  const noise = randomBytes(coarse.width * coarse.height * coarse.channels)
  return sharp(noise, { raw: coarse }).resize(SOURCE).jpeg({ quality: 90 }).toBuffer()
}

/** @param work returns the number of thumbnails it received */
async function timed(whose: Pick<Homeport, 'processorTime'>, work: () => Promise<number>): Promise<Thumbnailed> {
  const before = whose.processorTime()
  const began = performance.now()
  const count = await work()
  const elapsed = performance.now() - began
  const after = whose.processorTime()
  const processor = before === null || after === null ? null : (after - before) / count
  return { perSecond: (count * 1000) / elapsed, processor }
}

/** Requests each path once. */
function requestAll(url: string, paths: readonly string[]): Promise<number> {
  return withConnections(url, CLIENTS, async (connections) => {
    const left = [...paths]
    await Promise.all(
      connections.map(async (connection) => {
        for (let path = left.pop(); path; path = left.pop()) await connection.request({ method: 'GET', path })
      }),
    )
    return paths.length
  })
}

/** Requests all paths repeatedly. */
function requestRepeatedly(url: string, paths: readonly string[], seconds: number): Promise<number> {
  return withConnections(url, CONNECTIONS, async (connections) => {
    const until = performance.now() + seconds * 1000
    let answers = 0
    await Promise.all(
      connections.map(async (connection, number) => {
        for (let next = number; performance.now() < until; next += CONNECTIONS, answers++)
          await connection.request({ method: 'GET', path: paths[next % paths.length]! })
      }),
    )
    return answers
  })
}
