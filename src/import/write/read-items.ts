import { setImmediate as turn } from 'node:timers/promises'
import { ApiError } from '../../errors.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import type { Counts, Item, Items } from '../batch.ts'
import { REPAIRED_TEXT, repairedJson } from '../odd-text.ts'

/** Milliseconds of reading after which others have their turn of the event loop. */
const PIECE = 1

const REFUSED_TEXT = notice('textRefusedByStrict')

/** What came of the items of a batch. */
export interface Outcome {
  readonly counts: Omit<Counts, 'read' | 'rejected'>
  readonly refused: readonly { readonly item: Item; readonly reason: Notice }[]
  readonly notes: readonly { readonly item: Item; readonly note: Notice }[]
}

/** What was read of an item, or why it is refused. */
type Read<Value> = { readonly value: Value } | { readonly reason: Notice }

/** What was read of the items of a batch. */
export interface ReadItems<Value> {
  /** Each with its index among the items. */
  readonly read: readonly { readonly item: Item; readonly index: number; readonly value: Value }[]
  readonly refused: readonly { readonly item: Item; readonly reason: Notice }[]
  /** Items whose texts were repaired. */
  readonly notes: Outcome['notes']
}

/**
 * Reads the texts of items, without keeping others from the event loop for long.
 * @param texts `repaired`: characters that cannot be stored are replaced; `strict`: an item with such characters is refused;
 *   absent: `parse` sees to them
 */
export async function readItems<Value>(
  items: Items,
  parse: (text: string) => Value,
  texts?: 'repaired' | 'strict',
): Promise<ReadItems<Value>> {
  const read: { readonly item: Item; readonly index: number; readonly value: Value }[] = []
  const refused: { readonly item: Item; readonly reason: Notice }[] = []
  const notes: { readonly item: Item; readonly note: Notice }[] = []
  let began = performance.now()
  let index = -1
  for (const item of items) {
    index++
    const text = texts === undefined ? item.text : repairedJson(item.text)
    const reason = item.reason ?? (texts === 'strict' && text !== item.text ? REFUSED_TEXT : undefined)
    const one = reason === undefined ? readText(text, parse) : { reason }
    if ('reason' in one) refused.push({ item, reason: one.reason })
    else {
      read.push({ item, index, value: one.value })
      if (text !== item.text) notes.push({ item, note: REPAIRED_TEXT })
    }
    if (performance.now() - began < PIECE) continue
    await turn()
    began = performance.now()
  }
  return { read, refused, notes }
}

/** @returns what `parse` makes of a text, or why it refuses it */
export function readText<Value>(text: string, parse: (text: string) => Value): Read<Value> {
  try {
    return { value: parse(text) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { reason: error.notice }
  }
}
