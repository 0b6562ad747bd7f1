import { notice } from '../notices/notice.ts'
import { HttpFailure } from './http-failure.ts'

/** Milliseconds of waiting in which a sender must send at least this many bytes: 1 KB a second. */
const WINDOW_MS = 60_000
const MIN_BYTES = 60 * 1024

/**
 * Passes the body of a response through while it arrives at a minimum of 1 KB a second. Otherwise a sender could hold a transfer
 * with occasional bytes until its time limit, which is a day for large files. Time in which the receiver does not read does not
 * count.
 * @param now returns the time in milliseconds
 * @throws HttpFailure `timeout`; the error of the body
 */
export async function* steady<Chunk extends Uint8Array>(
  bytes: AsyncIterable<Chunk>,
  now: () => number = () => performance.now(),
): AsyncGenerator<Chunk, void, undefined> {
  const iterator = bytes[Symbol.asyncIterator]()
  let waited = 0
  let received = 0
  try {
    for (;;) {
      const began = now()
      const { done, value } = await iterator.next()
      waited += now() - began
      if (done) return
      received += value.byteLength
      if (waited >= WINDOW_MS) {
        if (received < MIN_BYTES) throw new HttpFailure('timeout', notice('bodyTooSlow'))
        waited = 0
        received = 0
      }
      yield value
    }
  } finally {
    await iterator.return?.()
  }
}
