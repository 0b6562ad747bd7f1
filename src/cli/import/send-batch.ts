import { setTimeout as sleep } from 'node:timers/promises'
import { type Batch, type BatchOutcome, isSamePlace, type Place } from '../../import/batch.ts'
import { FailedRequest, type Management } from '../management.ts'

/** Characters and records that a batch has at most: one has its turn on the server while the next is read. */
export const BATCH_SIZE = 700 * 1024
export const BATCH_ITEMS = 2000
/** Characters of a request with a single record: a little less than the server takes. */
const MAX_REQUEST = 19 * 1024 * 1024
const SHOWN = 2000

/** How often a batch is sent while the server does not answer or has too much to do: a minute in all. */
const ATTEMPTS = 8
const FIRST_PAUSE = 500

/**
 * Sends a batch, again and again while the server may yet take it.
 * @param path of the import, in the management API
 * @returns null where the answer was lost and the batch is there
 * @throws Error with one line for the user
 */
export async function sendBatch(management: Management, path: string, whole: Batch): Promise<BatchOutcome | null> {
  const batch = isTooLarge(whole) ? withoutContent(whole) : whole
  const send = async () => {
    const outcome = (await management.request('POST', `${path}/batches`, batch)) as
      | BatchOutcome
      | { readonly misplaced: true; readonly place: Place }
    if (!('misplaced' in outcome)) return outcome
    if (isSamePlace(outcome.place, batch.to)) return null
    throw new Error('another import of this source is under way; the same command goes on when that has ended')
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

function isPassing(status: number | null): boolean {
  return status === null || status === 429 || status >= 500
}

/** Whether a batch of one large record is more than the server takes, with all that has to be escaped in it. */
function isTooLarge(batch: Batch): boolean {
  const isLarge = batch.items.some(({ text }) => text.length > BATCH_SIZE)
  return isLarge && Buffer.byteLength(JSON.stringify(batch)) > MAX_REQUEST
}

/** A record that no request can hold. */
function withoutContent(batch: Batch): Batch {
  const items = batch.items.map(({ at, text }) => ({
    at,
    text: text.slice(0, SHOWN),
    reason: `It has ${text.length} characters; an object may have 16 MB.`,
  }))
  return { ...batch, items }
}
