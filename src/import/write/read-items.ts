import { setImmediate as turn } from 'node:timers/promises'
import { ApiError } from '../../errors.ts'
import type { Counts, Item, Items } from '../batch.ts'

/** Milliseconds of reading after which others have their turn of the event loop. */
const PIECE = 1

/** What came of the items of a batch. */
export interface Outcome {
  readonly counts: Omit<Counts, 'read' | 'rejected'>
  readonly refused: readonly { readonly item: Item; readonly reason: string }[]
  readonly notes: readonly { readonly item: Item; readonly text: string }[]
}

/** What was read of an item, or why it is refused. */
type Read<Value> = { readonly value: Value } | { readonly reason: string }

/** What was read of the items of a batch. */
export interface ReadItems<Value> {
  /** Each with its index among the items. */
  readonly read: readonly { readonly item: Item; readonly index: number; readonly value: Value }[]
  readonly refused: readonly { readonly item: Item; readonly reason: string }[]
}

/** Reads the texts of items, without keeping others from the event loop for long. */
export async function readItems<Value>(items: Items, parse: (text: string) => Value): Promise<ReadItems<Value>> {
  const read: { readonly item: Item; readonly index: number; readonly value: Value }[] = []
  const refused: { readonly item: Item; readonly reason: string }[] = []
  let began = performance.now()
  let index = -1
  for (const item of items) {
    index++
    const one = item.reason === undefined ? readText(item.text, parse) : { reason: item.reason }
    if ('reason' in one) refused.push({ item, reason: one.reason })
    else read.push({ item, index, value: one.value })
    if (performance.now() - began < PIECE) continue
    await turn()
    began = performance.now()
  }
  return { read, refused }
}

/** @returns what `parse` makes of a text, or why it refuses it */
export function readText<Value>(text: string, parse: (text: string) => Value): Read<Value> {
  try {
    return { value: parse(text) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { reason: error.message }
  }
}
