import type { Notice } from '../../../notices/notice.ts'
import type { Item, Items } from '../../batch.ts'
import type { LineItems } from '../../batch-lines.ts'
import { allRefused, givenTexts, isLarge } from '../given-texts.ts'
import { type Outcome, readItems } from '../read-items.ts'
import type { ReadingThreads } from '../reading-threads.ts'
import { type PackedObjects, packObjects, unpackObjects } from './packed-objects.ts'
import { type ImportedObject, objectParser, type ReadingOptions } from './parse-object.ts'
import type { DoneTask, ReadingTask } from './read-task.ts'

/** An object with its record. */
export interface GivenObject {
  readonly item: Item
  readonly object: ImportedObject
}

/** The objects read from a batch. */
export interface ReadObjects {
  readonly packed: PackedObjects
  /** Returns the objects one by one. */
  readonly given: () => readonly GivenObject[]
  /** Returns notes about the objects. */
  readonly notes: () => Outcome['notes']
  readonly refused: readonly { readonly item: Item; readonly reason: Notice }[]
}

/**
 * Reads objects as lines of an export (`parse-object.ts`), those of a large batch in a thread.
 * @param inPieces whether to read in time slices, with pauses for other work on the processor
 */
export async function readObjects(
  threads: ReadingThreads,
  how: Omit<ReadingOptions, 'now'>,
  items: Items,
  inPieces = false,
): Promise<ReadObjects> {
  const options = { ...how, now: new Date().toISOString() }
  const done =
    isLarge(items) &&
    (await threads.run<ReadingTask, DoneTask>('readObjects', { texts: givenTexts(items, inPieces), options }))
  return done ? readThere(items, done) : readHere(options, items)
}

async function readHere(options: ReadingOptions, items: Items): Promise<ReadObjects> {
  const { read, refused } = await readItems(items, objectParser(options))
  const given = read.map(({ item, value }) => ({ item, object: value }))
  return { packed: packObjects(read), given: () => given, notes: () => notesOf(given), refused }
}

/** Returns the notes about objects. */
export function notesOf(given: readonly GivenObject[]): Outcome['notes'] {
  return given
    .filter(({ item, object }) => item.notes !== undefined || object.notes.length > 0)
    .flatMap(({ item, object }) => [...(item.notes ?? []), ...object.notes].map((note) => ({ item, note })))
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
        const notes = [...(items.others.get(index)?.notes ?? []), ...(packed.special.get(number)?.notes ?? [])]
        return notes.map((note) => ({ item: items.at(index), note }))
      }),
    refused: allRefused(items, refused),
  }
}
