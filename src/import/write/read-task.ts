import { ObjectPacker, type PackedObjects } from './packed-objects.ts'
import { parseObject } from './parse-object.ts'
import { readText } from './read-items.ts'
import { SharedTypes } from './shared-types.ts'

/** Records that are to be read as objects. */
export interface ReadingTask {
  readonly className: string
  /** The texts of records, and where each begins and ends in them. */
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Texts that are not among the bytes, by the indexes of their records; null where the record has been refused. */
  readonly others: ReadonlyMap<number, string | null>
  /** The time of objects that have none of their own. */
  readonly now: string
}

/** What became of the records of a task. */
export interface DoneTask {
  readonly packed: PackedObjects
  readonly refused: readonly { readonly index: number; readonly reason: string }[]
}

/** Reads the objects of a task (`parse-object.ts`). */
export function readTask({ className, bytes, starts, ends, others, now }: ReadingTask): DoneTask {
  const shared = new SharedTypes()
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const packer = new ObjectPacker(bytes.length)
  const refused: { index: number; reason: string }[] = []
  for (const [index, start] of starts.entries()) {
    const other = others.get(index)
    if (other === null) continue
    const text = other ?? buffer.toString('utf8', start, ends[index])
    const one = readText(text, (line) => parseObject(className, line, now, shared))
    if ('reason' in one) refused.push({ index, reason: one.reason })
    else packer.add(index, one.value)
  }
  return { packed: packer.packed(), refused }
}
