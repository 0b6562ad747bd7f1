import type { Transaction } from '../../../database/pool.ts'
import type { Sql } from '../../../database/sql.ts'
import { ApiError } from '../../../errors.ts'
import type { Messaging } from '../../../messaging/messaging.ts'
import type { MovedTableName } from '../../../messaging/moved-tables.ts'
import { conversationTable } from '../../../messaging/records/conversation-class.ts'
import type { Notice } from '../../../notices/notice.ts'
import { type Batch, type Item, messagingTable } from '../../batch.ts'
import type { ImportApp } from '../import-app.ts'
import { type Outcome, type ReadItems, readItems } from '../read-items.ts'
import type { ReadingThreads } from '../reading-threads.ts'
import { reasonOf } from '../reason.ts'
import { tryToWrite, writeOrSplit } from '../write-or-split.ts'
import type { Writer } from '../writer.ts'
import { findThreads, type ThreadedMessage } from './find-threads.ts'
import { type LastTimes, lastTimesOf } from './last-times.ts'
import type { GivenMessage } from './message-lines.ts'
import { copyMessages, followMessages, writeMessages } from './message-rows.ts'
import { copyMessagingRows, copyRows, keyOf, parseMessagingRow, writeMessagingRows } from './messaging-rows.ts'
import { readMessages } from './read-messages.ts'

/** Tables whose rows nodes cache with each conversation. */
const REMEMBERED: ReadonlySet<MovedTableName> = new Set(['silences', 'temporary'])

/**
 * Reads a batch of messaging: messages, or rows of one of the other tables. All sources use it: histories that a pull reads,
 * items that users have saved, and our own exports (protocol/moving-in, Chat history).
 * @param isNew whether all records are probably new, as far as known before the previous batches are written
 * @param inPieces whether to read in time slices, with pauses for other work on the processor
 */
export async function messagingWriter(
  app: ImportApp,
  threads: ReadingThreads,
  batch: Batch,
  isNew: boolean,
  inPieces: boolean,
): Promise<Writer> {
  const name = messagingTable(batch.of.className)!
  return name === 'messages' ? messageWriter(app, threads, batch, isNew, inPieces) : rowWriter(app, batch, name)
}

async function messageWriter(
  app: ImportApp,
  threads: ReadingThreads,
  { items, onConflict, strict }: Batch,
  isNew: boolean,
  inPieces: boolean,
): Promise<Writer> {
  const { complete, single } = await readMessages(threads, items, isNew, inPieces, strict)
  const to = { tables: app.messaging.tables, conversations: conversationTable(app) }
  const table = app.messaging.tables.messages
  const write = async (transaction: Transaction): Promise<Outcome> => {
    const { threaded, rejected, notes } = await threadedAmong(transaction, to.conversations, await single())
    const written = await writeOrSplit(transaction, threaded, (rows) =>
      writeMessages(transaction, to, messagesOf(rows), onConflict),
    )
    return outcomeOf(threaded.length, written, rejected, notes)
  }
  if (complete) {
    const { packed, refused } = complete
    if (packed.count === 0) return { table, write }
    const all: Outcome = { counts: { created: packed.count, updated: 0, existing: 0 }, refused, notes: [] }
    return {
      table,
      copy: (transaction) => copyAll(transaction, to.tables, 'messages', packed.rows),
      write: async (transaction, isCopied) => {
        if (!isCopied) return write(transaction)
        await followMessages(transaction, to, packed.lastTimes)
        return all
      },
    }
  }
  let copied: { readonly outcome: Outcome; readonly lastTimes: LastTimes } | null = null
  return {
    table,
    copy: async (transaction) => {
      const { threaded, rejected, notes } = await threadedAmong(transaction, to.conversations, await single())
      if (threaded.length === 0) return false
      const tried = await tryToWrite(transaction, () => copyMessages(transaction, to, messagesOf(threaded), onConflict))
      if ('error' in tried) return false
      const outcome = outcomeOf(threaded.length, { results: tried.result, refused: [] }, rejected, notes)
      copied = { outcome, lastTimes: lastTimesOf(messagesOf(threaded)) }
      return true
    },
    write: async (transaction, isCopied) => {
      if (!isCopied) return write(transaction)
      await followMessages(transaction, to, copied!.lastTimes)
      return copied!.outcome
    },
  }
}

interface Threaded {
  readonly item: Item
  readonly message: ThreadedMessage
}

function messagesOf(threaded: readonly Threaded[]): ThreadedMessage[] {
  return threaded.map(({ message }) => message)
}

/** Separates messages whose threads are known from records that are rejected. */
async function threadedAmong(
  transaction: Transaction,
  conversations: Sql,
  { read, refused, notes }: ReadItems<GivenMessage>,
): Promise<{
  readonly threaded: readonly Threaded[]
  readonly rejected: Outcome['refused']
  readonly notes: Outcome['notes']
}> {
  const given = read.map(({ value }) => value)
  const threads = await findThreads(transaction, conversations, given)
  const threaded: Threaded[] = []
  const unthreaded: { readonly item: Item; readonly reason: Notice }[] = []
  for (const [index, thread] of threads.entries()) {
    const { item } = read[index]!
    if (thread instanceof ApiError) unthreaded.push({ item, reason: thread.notice })
    else threaded.push({ item, message: thread })
  }
  return { threaded, rejected: [...refused, ...unthreaded], notes }
}

async function rowWriter(
  { messaging }: ImportApp,
  { items, strict }: Batch,
  name: Exclude<MovedTableName, 'messages'>,
): Promise<Writer> {
  const { read, refused, notes } = await readItems(
    items,
    (text) => parseMessagingRow(name, text),
    strict ? 'strict' : 'repaired',
  )
  const single = new Map(read.map((one) => [keyOf(name, one.value), one]))
  const rows = [...single.values()]
  const valuesOf = (some: readonly (typeof rows)[number][]) => some.map(({ value }) => value)
  const { tables } = messaging
  return {
    copy: async (transaction) => {
      if (rows.length === 0) return false
      return copyAll(transaction, tables, name, copyRows(name, valuesOf(rows)))
    },
    write: async (transaction, isCopied) => {
      const written = isCopied
        ? { results: rows.map(() => ({ isNew: true })), refused: [] }
        : await writeOrSplit(transaction, rows, (some) => writeMessagingRows(transaction, tables, name, valuesOf(some)))
      if (REMEMBERED.has(name)) transaction.afterCommit(() => void messaging.conversations.forget(''))
      return outcomeOf(read.length, written, refused, notes)
    },
  }
}

/** @returns false when a row is rejected; then none is written */
async function copyAll(
  transaction: Transaction,
  tables: Messaging['tables'],
  name: MovedTableName,
  rows: string | Uint8Array,
): Promise<boolean> {
  return 'result' in (await tryToWrite(transaction, () => copyMessagingRows(transaction, tables, name, rows)))
}

/** @param count number of records that could be written */
function outcomeOf(
  count: number,
  { results, refused }: Awaited<ReturnType<typeof writeOrSplit<{ readonly item: Item }, { readonly isNew: boolean }>>>,
  unreadable: Outcome['refused'],
  notes: Outcome['notes'],
): Outcome {
  const created = results.filter(({ isNew }) => isNew).length
  return {
    counts: {
      created,
      updated: results.length - created,
      existing: count - refused.length - results.length,
    },
    refused: [...unreadable, ...refused.map(({ row, error }) => ({ item: row.item, reason: reasonOf(error) }))],
    notes,
  }
}
