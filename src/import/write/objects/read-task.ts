import { type GivenTexts, type RefusedIndex, textsOf } from '../given-texts.ts'
import { readText } from '../read-items.ts'
import { ObjectPacker, type PackedObjects } from './packed-objects.ts'
import { parseObject } from './parse-object.ts'
import { SharedTypes } from './shared-types.ts'

/** Records that are to be read as objects. */
export interface ReadingTask {
  readonly className: string
  readonly texts: GivenTexts
  /** The time of objects that have none of their own. */
  readonly now: string
}

/** What became of the records of a task. */
export interface DoneTask {
  readonly packed: PackedObjects
  readonly refused: readonly RefusedIndex[]
}

/** Reads the objects of a task (`parse-object.ts`). */
export function readTask({ className, texts, now }: ReadingTask): DoneTask {
  const shared = new SharedTypes()
  const packer = new ObjectPacker(texts.bytes.length)
  const refused: RefusedIndex[] = []
  for (const [index, text] of textsOf(texts)) {
    const one = readText(text, (line) => parseObject(className, line, now, shared))
    if ('reason' in one) refused.push({ index, reason: one.reason })
    else packer.add(index, one.value)
  }
  return { packed: packer.packed(), refused }
}
