import { setTimeout as sleep } from 'node:timers/promises'
import { type Batch, type BatchOutcome, isSamePlace, type Place } from '../../import/batch.ts'
import { BATCH_LINES, linesOf } from '../../import/batch-lines.ts'
import { notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { FailedRequest, type Management } from '../management.ts'

/** Characters and records that a batch has at most: one is read on the server while the one before is written. */
export const BATCH_SIZE = 700 * 1024
export const BATCH_ITEMS = 4000
/** Characters of a request with a single record: a little less than the server takes. */
const MAX_REQUEST = 19 * 1024 * 1024
const SHOWN = 2000

/** How often a batch is sent while the server does not answer or has too much to do: a minute in all. */
const ATTEMPTS = 8
const FIRST_PAUSE = 500

/** What is under way beside a batch. */
export interface Beside {
  /** Resolves when the batch before is written. */
  readonly before: Promise<void>
  /** Whether a place lies at the end of this batch, or of one that was sent after it. */
  readonly hasReached: (place: Place) => boolean
}

/**
 * Sends a batch, again and again while the server may yet take it.
 * @param path of the import, in the management API
 * @param beside other batches of the import; absent where it is the only one
 * @returns null where the answer was lost and the batch is there
 * @throws Error with one line for the user
 */
export async function sendBatch(
  management: Management,
  path: string,
  whole: Batch,
  beside?: Beside,
): Promise<BatchOutcome | null> {
  const batch = isTooLarge(whole) ? withoutContent(whole) : whole
  const lines = linesOf(batch)
  let hasWaited = beside === undefined
  const send = async (): Promise<BatchOutcome | null> => {
    const outcome = (await management.sendText('POST', `${path}/batches`, BATCH_LINES, lines)) as
      | BatchOutcome
      | { readonly misplaced: true; readonly place: Place }
    if (!('misplaced' in outcome)) return outcome
    if (isSamePlace(outcome.place, batch.to) || beside?.hasReached(outcome.place)) return null
    if (hasWaited) throw new NoticedError(notice('importUnderWay'))
    // The one before was overtaken, or has to be sent again.
    hasWaited = true
    await beside!.before
    return send()
  }
  return insisting(send)
}

/** Does again what a server that is away or busy has not done. */
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

/** The same server, of which whatever it can be asked for twice is asked for until it answers. */
export function insistent(management: Management): Management {
  return { ...management, request: (method, path, body) => insisting(() => management.request(method, path, body)) }
}

function isPassing(status: number | null): boolean {
  return status === null || status === 429 || status >= 500
}

/** Whether a batch of one large record is more than the server takes, with all that has to be said of it. */
function isTooLarge(batch: Batch): boolean {
  const isLarge = [...batch.items].some(({ text }) => text.length > BATCH_SIZE)
  return isLarge && Buffer.byteLength(linesOf(batch)) > MAX_REQUEST
}

/** A record that no request can hold. */
function withoutContent(batch: Batch): Batch {
  const items = [...batch.items].map(({ at, text }) => ({
    at,
    text: text.slice(0, SHOWN),
    reason: notice('recordTooLong', { characters: text.length }),
  }))
  return { ...batch, items }
}
