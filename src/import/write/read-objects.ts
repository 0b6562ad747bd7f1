import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import type { Item, Items } from '../batch.ts'
import { LineItems } from '../batch-lines.ts'
import { type PackedObjects, packObjects, unpackObjects } from './packed-objects.ts'
import { type ImportedObject, parseObject } from './parse-object.ts'
import { type Outcome, readItems } from './read-items.ts'
import type { DoneTask, ReadingTask } from './read-task.ts'
import { SharedTypes } from './shared-types.ts'

/** Bytes of a batch from which on a thread reads it: below that reading takes a few turns of a millisecond. */
const LARGE = 256 * 1024
/** How long a thread without work stays, in milliseconds. */
const IDLE_TIME = 30_000
/**
 * Megabytes of what a thread has just made, and of all it holds: a batch has 20 MB at most. What has just been made is gone
 * with the next batch.
 */
const MEMORY = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 }
/** Under the tests, and `npm run dev`, the source itself runs. */
const IS_SOURCE = import.meta.url.endsWith('.ts')
/**
 * Only on Linux does a nice level belong to a thread; elsewhere it would slow down the whole process. A thread that has to
 * compile first is slow enough.
 */
const NICE_INCREMENT = process.platform === 'linux' && !IS_SOURCE ? 10 : 0

/** An object with its record. */
export interface GivenObject {
  readonly item: Item
  readonly object: ImportedObject
}

/** What has been read of a batch of objects. */
export interface ReadObjects {
  readonly packed: PackedObjects
  /** The objects one by one. */
  readonly given: () => readonly GivenObject[]
  /** What there is to say of them. */
  readonly notes: () => Outcome['notes']
  readonly refused: readonly { readonly item: Item; readonly reason: string }[]
}

/**
 * Reads the objects of batches, large ones in threads of low priority: to read a thousand objects takes 10 ms, in which the
 * event loop would serve nobody. Threads start with the first work, and do not keep the process alive when they have none.
 */
export class ObjectReader {
  readonly #threads = new Piscina<ReadingTask, DoneTask>({
    filename: new URL(`reading-worker.${IS_SOURCE ? 'ts' : 'js'}`, import.meta.url).href,
    execArgv: IS_SOURCE ? ['--import', 'tsx'] : [],
    minThreads: 0,
    maxThreads: Math.max(1, Math.min(2, availableParallelism() - 1)),
    idleTimeout: IDLE_TIME,
    niceIncrement: NICE_INCREMENT,
    resourceLimits: MEMORY,
    recordTiming: false,
  })
  /** No thread can start, or all of them have been ended. */
  #areGone = false

  constructor() {
    // What waits for a thread that cannot start fails then, and is read without one.
    this.#threads.on('error', () => void this.stop())
  }

  /** Reads objects as lines of an export have them (`parse-object.ts`). */
  async read(className: string, items: Items): Promise<ReadObjects> {
    const now = new Date().toISOString()
    const isLarge = items instanceof LineItems && items.bytes.length >= LARGE
    if (!isLarge || this.#areGone) return readHere(className, items, now)
    const done = await this.#threads.run(taskOf(className, items, now)).catch(() => null)
    // The thread has ended, for want of memory for instance: that says nothing of the objects.
    return done ? readThere(items, done) : readHere(className, items, now)
  }

  /** Ends the threads; what they still read is read without them. */
  async stop(): Promise<void> {
    this.#areGone = true
    await this.#threads.destroy()
  }
}

async function readHere(className: string, items: Items, now: string): Promise<ReadObjects> {
  const shared = new SharedTypes()
  const { read, refused } = await readItems(items, (text) => parseObject(className, text, now, shared))
  const given = read.map(({ item, value }) => ({ item, object: value }))
  return { packed: packObjects(read), given: () => given, notes: () => notesOf(given), refused }
}

/** What there is to say of objects. */
export function notesOf(given: readonly GivenObject[]): Outcome['notes'] {
  return given
    .filter(({ item, object }) => item.notes !== undefined || object.notes.length > 0)
    .flatMap(({ item, object }) => [...(item.notes ?? []), ...object.notes].map((text) => ({ item, text })))
}

function taskOf(className: string, { bytes, starts, ends, others }: LineItems, now: string): ReadingTask {
  const texts = new Map([...others].map(([index, { text, reason }]) => [index, reason === undefined ? text : null]))
  return { className, bytes, starts, ends, others: texts, now }
}

function readThere(items: LineItems, { packed, refused }: DoneTask): ReadObjects {
  let given: readonly GivenObject[] | null = null
  return {
    packed,
    given: () => {
      given ??= unpackObjects(packed).map((object, number) => ({ item: items.at(packed.indexes[number]!), object }))
      return given
    },
    notes: () =>
      [...packed.indexes].flatMap((index, number) => {
        const texts = [...(items.others.get(index)?.notes ?? []), ...(packed.special.get(number)?.notes ?? [])]
        return texts.map((text) => ({ item: items.at(index), text }))
      }),
    refused: [
      ...[...items.others.values()].flatMap((item) =>
        item.reason === undefined ? [] : [{ item, reason: item.reason }],
      ),
      ...refused.map(({ index, reason }) => ({ item: items.at(index), reason })),
    ],
  }
}
