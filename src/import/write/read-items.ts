import { setImmediate as turn } from 'node:timers/promises'
import { ApiError } from '../../errors.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import type { Counts, Item, Items } from '../batch.ts'
import { REPAIRED_TEXT, repairedJson } from '../odd-text.ts'

/** Milliseconds of reading after which the event loop runs other work. */
const PIECE = 1

const REFUSED_TEXT = notice('textRefusedByStrict')

/** The outcome of the items of a batch. */
export interface Outcome {
  readonly counts: Omit<Counts, 'read' | 'rejected'>
  readonly refused: readonly { readonly item: Item; readonly reason: Notice }[]
  readonly notes: readonly { readonly item: Item; readonly note: Notice }[]
}

/** The value of an item, or why it is rejected. */
type Read<Value> = { readonly value: Value } | { readonly reason: Notice }

/** The values read from the items of a batch. */
export interface ReadItems<Value> {
  /** Each with its index among the items. */
  readonly read: readonly { readonly item: Item; readonly index: number; readonly value: Value }[]
  readonly refused: readonly { readonly item: Item; readonly reason: Notice }[]
  /** Items whose texts were repaired. */
  readonly notes: Outcome['notes']
}

/**
 * Reads the texts of items in time slices, so that the event loop is not blocked for long.
 * @param texts `repaired`: replaces characters that cannot be stored; `strict`: rejects an item with such characters; absent:
 *   `parse` handles them
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

/** @returns the result of `parse`, or why it rejects the text */
export function readText<Value>(text: string, parse: (text: string) => Value): Read<Value> {
  try {
    return { value: parse(text) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { reason: error.notice }
  }
}
