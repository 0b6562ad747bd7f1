import { setImmediate as turn } from 'node:timers/promises'
import { ApiError } from '../../errors.ts'
import type { Counts, Item } from '../batch.ts'

/** Milliseconds of reading after which others have their turn of the event loop. */
const PIECE = 1

/** What came of the items of a batch. */
export interface Outcome {
  readonly counts: Omit<Counts, 'read' | 'rejected'>
  readonly refused: readonly { readonly item: Item; readonly reason: string }[]
  readonly notes: readonly { readonly item: Item; readonly text: string }[]
}

/** What was read of an item, or why it is refused. */
type Read<Value> = { readonly item: Item; readonly value: Value } | { readonly item: Item; readonly reason: string }

/** Reads the texts of items, without keeping others from the event loop for long. */
export async function readItems<Value>(items: readonly Item[], parse: (text: string) => Value) {
  const read: { readonly item: Item; readonly value: Value }[] = []
  const refused: { readonly item: Item; readonly reason: string }[] = []
  let began = performance.now()
  for (const item of items) {
    const one = readItem(item, parse)
    if ('reason' in one) refused.push(one)
    else read.push(one)
    if (performance.now() - began < PIECE) continue
    await turn()
    began = performance.now()
  }
  return { read, refused }
}

function readItem<Value>(item: Item, parse: (text: string) => Value): Read<Value> {
  if (item.reason !== undefined) return { item, reason: item.reason }
  try {
    return { item, value: parse(item.text) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { item, reason: error.message }
  }
}
