import type { Item, Items } from '../../batch.ts'
import type { LineItems } from '../../batch-lines.ts'
import { allRefused, givenTexts, isLarge } from '../given-texts.ts'
import { type Outcome, readItems } from '../read-items.ts'
import type { ReadingThreads } from '../reading-threads.ts'
import { type PackedObjects, packObjects, unpackObjects } from './packed-objects.ts'
import { type ImportedObject, parseObject } from './parse-object.ts'
import type { DoneTask, ReadingTask } from './read-task.ts'
import { SharedTypes } from './shared-types.ts'

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
 * Reads objects as lines of an export have them (`parse-object.ts`), those of a large batch in a thread.
 * @param inPieces whether others are to have the processor in between
 */
export async function readObjects(
  threads: ReadingThreads,
  className: string,
  items: Items,
  inPieces = false,
): Promise<ReadObjects> {
  const now = new Date().toISOString()
  const done =
    isLarge(items) &&
    (await threads.run<ReadingTask, DoneTask>('readObjects', { className, texts: givenTexts(items, inPieces), now }))
  return done ? readThere(items, done) : readHere(className, items, now)
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
    refused: allRefused(items, refused),
  }
}
