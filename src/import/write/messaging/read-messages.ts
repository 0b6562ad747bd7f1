import type { Items } from '../../batch.ts'
import { repairedJson } from '../../odd-text.ts'
import { allRefused, type GivenTexts, givenTexts, isLarge, type RefusedIndex, textsOf } from '../given-texts.ts'
import { type Outcome, type ReadItems, readItems, readText } from '../read-items.ts'
import type { ReadingThreads } from '../reading-threads.ts'
import { type GivenMessage, parseMessage } from './message-lines.ts'
import { MessagePacker, type PackedMessages } from './packed-messages.ts'

/** The result of a thread that has read records as messages. */
export interface DoneMessages {
  readonly packed: PackedMessages
  readonly refused: readonly RefusedIndex[]
}

/** Reads messages (`message-lines.ts`). Runs in a thread. */
export function packMessages(texts: GivenTexts): DoneMessages {
  const packer = new MessagePacker(texts.bytes.length)
  const refused: RefusedIndex[] = []
  for (const [index, text] of textsOf(texts)) {
    if (repairedJson(text) !== text) packer.leave()
    const one = readText(text, parseMessage)
    if ('reason' in one) refused.push({ index, reason: one.reason })
    else packer.add(one.value)
  }
  return { packed: packer.packed(), refused }
}

/** The messages read from a batch. */
export interface ReadMessages {
  /** Null when no thread has read them, or the rows are incomplete. */
  readonly complete: { readonly packed: PackedMessages; readonly refused: Outcome['refused'] } | null
  /** Returns the messages one by one. */
  readonly single: () => Promise<ReadItems<GivenMessage>>
}

/**
 * Reads messages, those of a large batch in a thread.
 * @param isNew whether all are probably new. Other batches are written by INSERT from parsed messages,
 *   which a thread cannot return
 * @param inPieces whether to read in time slices, with pauses for other work on the processor
 */
export async function readMessages(
  threads: ReadingThreads,
  items: Items,
  isNew: boolean,
  inPieces = false,
  strict = false,
): Promise<ReadMessages> {
  const single = () => readItems(items, parseMessage, strict ? 'strict' : 'repaired')
  if (isNew && isLarge(items)) {
    const done = await threads.run<GivenTexts, DoneMessages>('readMessages', givenTexts(items, inPieces))
    if (done?.packed.isComplete)
      return { complete: { packed: done.packed, refused: allRefused(items, done.refused) }, single }
  }
  const read = await single()
  return { complete: null, single: async () => read }
}
