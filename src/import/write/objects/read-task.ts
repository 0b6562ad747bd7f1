import { type GivenTexts, type RefusedIndex, textsOf } from '../given-texts.ts'
import { readText } from '../read-items.ts'
import { ObjectPacker, type PackedObjects } from './packed-objects.ts'
import { objectParser, type ReadingOptions } from './parse-object.ts'

/** Records to be read as objects. */
export interface ReadingTask {
  readonly texts: GivenTexts
  readonly options: ReadingOptions
}

/** The result of a task. */
export interface DoneTask {
  readonly packed: PackedObjects
  readonly refused: readonly RefusedIndex[]
}

/** Reads the objects of a task (`parse-object.ts`). */
export function readTask({ texts, options }: ReadingTask): DoneTask {
  const parse = objectParser(options)
  const packer = new ObjectPacker(texts.bytes.length)
  const refused: RefusedIndex[] = []
  for (const [index, text] of textsOf(texts)) {
    const one = readText(text, parse)
    if ('reason' in one) refused.push({ index, reason: one.reason })
    else packer.add(index, one.value)
  }
  return { packed: packer.packed(), refused }
}
