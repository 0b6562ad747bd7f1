import type { Transaction } from '../../../database/pool.ts'
import { ApiError } from '../../../errors.ts'
import type { MovedTableName } from '../../../messaging/moved-tables.ts'
import { conversationTable } from '../../../messaging/records/conversation-class.ts'
import { type Batch, type Item, messagingTable } from '../../batch.ts'
import type { ImportApp } from '../import-app.ts'
import { type Outcome, readItems } from '../read-items.ts'
import type { ReadingThreads } from '../reading-threads.ts'
import { reasonOf } from '../reason.ts'
import { tryToWrite, writeOrSplit } from '../write-or-split.ts'
import { copyMessages, copyPackedMessages, writeMessages } from './message-rows.ts'
import { copyMessagingRows, copyRows, keyOf, parseMessagingRow, writeMessagingRows } from './messaging-rows.ts'
import { type PlacedMessage, placeMessages } from './place-messages.ts'
import { readMessages } from './read-messages.ts'

/** Tables of which nodes remember something with each conversation. */
const REMEMBERED: ReadonlySet<MovedTableName> = new Set(['silences', 'temporary'])

/**
 * Reads a batch of messaging: messages, or rows of one of the tables beside them. It is the one way in for all of them:
 * histories that a pull reads, items that people have kept, and our own exports (protocol/moving-in, Chat history).
 * @param isNew probably none of them is here yet, as far as it is known before its turn
 * @returns what writes it, in a transaction
 */
export async function messagingWriter(
  app: ImportApp,
  threads: ReadingThreads,
  batch: Batch,
  isNew: boolean,
): Promise<(transaction: Transaction, isNew: boolean) => Promise<Outcome>> {
  const name = messagingTable(batch.of.className)!
  return name === 'messages' ? messageWriter(app, threads, batch, isNew) : rowWriter(app, batch, name)
}

async function messageWriter(app: ImportApp, threads: ReadingThreads, { items, onConflict }: Batch, isNew: boolean) {
  const { whole, single } = await readMessages(threads, items, isNew)
  const { tables } = app.messaging
  const conversations = conversationTable(app)
  const to = { tables, conversations }
  return async (transaction: Transaction, isNew: boolean): Promise<Outcome> => {
    if (isNew && whole && whole.packed.count > 0) {
      const { packed, refused } = whole
      const tried = await tryToWrite(transaction, () => copyPackedMessages(transaction, to, packed))
      if ('result' in tried) return { counts: { created: packed.count, updated: 0, existing: 0 }, refused, notes: [] }
    }
    const { read, refused } = await single()
    const given = read.map(({ value }) => value)
    const places = await placeMessages(transaction, conversations, given)
    const placed: { readonly item: Item; readonly message: PlacedMessage }[] = []
    const displaced: { readonly item: Item; readonly reason: string }[] = []
    for (const [index, place] of places.entries()) {
      const { item } = read[index]!
      if (place instanceof ApiError) displaced.push({ item, reason: place.message })
      else placed.push({ item, message: place })
    }
    const messagesOf = (rows: readonly (typeof placed)[number][]) => rows.map(({ message }) => message)
    // What has been tried as a whole would be refused again.
    const written = await writeAll(transaction, placed, isNew && !whole, {
      asNew: () => copyMessages(transaction, to, messagesOf(placed)),
      some: (rows) => writeMessages(transaction, to, messagesOf(rows), onConflict),
    })
    return outcomeOf(placed.length, written, [...refused, ...displaced])
  }
}

async function rowWriter({ messaging }: ImportApp, { items }: Batch, name: Exclude<MovedTableName, 'messages'>) {
  const { read, refused } = await readItems(items, (text) => parseMessagingRow(name, text))
  const single = new Map(read.map((one) => [keyOf(name, one.value), one]))
  const rows = [...single.values()]
  const { tables } = messaging
  return async (transaction: Transaction, isNew: boolean): Promise<Outcome> => {
    const valuesOf = (some: readonly (typeof rows)[number][]) => some.map(({ value }) => value)
    const written = await writeAll(transaction, rows, isNew, {
      asNew: async () => {
        await copyMessagingRows(transaction, tables, name, copyRows(name, valuesOf(rows)))
        return rows.map(() => ({ isNew: true }))
      },
      some: (some) => writeMessagingRows(transaction, tables, name, valuesOf(some)),
    })
    if (REMEMBERED.has(name)) transaction.afterCommit(() => void messaging.conversations.forget(''))
    return outcomeOf(read.length, written, refused)
  }
}

/** Writes rows as if none were here yet where that is likely, and as they have to be where one is. */
async function writeAll<Row>(
  transaction: Transaction,
  rows: readonly Row[],
  isNew: boolean,
  write: {
    readonly asNew: () => Promise<readonly { readonly isNew: boolean }[]>
    readonly some: (rows: readonly Row[]) => Promise<readonly { readonly isNew: boolean }[]>
  },
) {
  const tried = isNew && rows.length > 0 ? await tryToWrite(transaction, write.asNew) : null
  if (tried && 'result' in tried) return { results: tried.result, refused: [] }
  return writeOrSplit(transaction, rows, write.some)
}

/** @param count records that could be written */
function outcomeOf(
  count: number,
  { results, refused }: Awaited<ReturnType<typeof writeOrSplit<{ readonly item: Item }, { readonly isNew: boolean }>>>,
  unreadable: Outcome['refused'],
): Outcome {
  const created = results.filter(({ isNew }) => isNew).length
  return {
    counts: {
      created,
      updated: results.length - created,
      existing: count - refused.length - results.length,
    },
    refused: [...unreadable, ...refused.map(({ row, error }) => ({ item: row.item, reason: reasonOf(error) }))],
    notes: [],
  }
}
