import { setTimeout as sleep } from 'node:timers/promises'
import { type Batch, type BatchOutcome, isSamePosition, type Position } from '../../import/batch.ts'
import { BATCH_LINES, linesOf } from '../../import/batch-lines.ts'
import { notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { FailedRequest, type Management } from '../management.ts'

/** Maximum characters and records of a batch. The server reads a batch while it writes the one before. */
export const BATCH_SIZE = 700 * 1024
export const BATCH_ITEMS = 4000
/** Maximum bytes of a request with a single record, a little below the server's maximum. */
const MAX_REQUEST = 19 * 1024 * 1024
const SHOWN = 2000

/** Maximum attempts to send a batch while the server does not respond or is overloaded: a minute in total. */
const ATTEMPTS = 8
const FIRST_PAUSE = 500

/** Concurrent batches of the same import. */
export interface ConcurrentBatches {
  /** Resolves when the previous batch is written. */
  readonly before: Promise<void>
  /** Returns whether a position is the end of this batch, or of a batch sent after it. */
  readonly hasReached: (position: Position) => boolean
}

/**
 * Sends a batch, and retries while the failure may be temporary.
 * @param path the path of the import in the management API
 * @param concurrent other batches of the import; absent when this is the only one
 * @returns null when the response was lost but the batch was written
 * @throws Error with one line for the user
 */
export async function sendBatch(
  management: Management,
  path: string,
  given: Batch,
  concurrent?: ConcurrentBatches,
): Promise<BatchOutcome | null> {
  const batch = isTooLarge(given) ? withoutContent(given) : given
  const lines = linesOf(batch)
  let hasWaited = concurrent === undefined
  const send = async (): Promise<BatchOutcome | null> => {
    const outcome = (await management.sendText('POST', `${path}/batches`, BATCH_LINES, lines)) as
      | BatchOutcome
      | { readonly misplaced: true; readonly place: Position }
    if (!('misplaced' in outcome)) return outcome
    if (isSamePosition(outcome.place, batch.to) || concurrent?.hasReached(outcome.place)) return null
    if (hasWaited) throw new NoticedError(notice('importUnderWay'))
    // This batch overtook the one before, or that one has to be sent again.
    hasWaited = true
    await concurrent!.before
    return send()
  }
  return insisting(send)
}

/** Retries a request while the server cannot be reached or is overloaded. */
export async function insisting<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      const mayPass = error instanceof FailedRequest && isPassing(error.status)
      if (!mayPass || attempt === ATTEMPTS) throw error
      await sleep(FIRST_PAUSE * 2 ** (attempt - 1))
    }
  }
}

/** Returns the same server with retries for requests, which must be repeatable. */
export function insistent(management: Management): Management {
  return { ...management, request: (method, path, body) => insisting(() => management.request(method, path, body)) }
}

function isPassing(status: number | null): boolean {
  return status === null || status === 429 || status >= 500
}

/** Returns whether a batch of one large record exceeds the maximum of a request. */
function isTooLarge(batch: Batch): boolean {
  const isLarge = [...batch.items].some(({ text }) => text.length > BATCH_SIZE)
  return isLarge && Buffer.byteLength(linesOf(batch)) > MAX_REQUEST
}

/** Returns a rejected, truncated record in place of one that exceeds a request. */
function withoutContent(batch: Batch): Batch {
  const items = [...batch.items].map(({ at, text }) => ({
    at,
    text: text.slice(0, SHOWN),
    reason: notice('recordTooLong', { characters: text.length }),
  }))
  return { ...batch, items }
}
