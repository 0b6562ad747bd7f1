import { createHash } from 'node:crypto'
import { errors } from '../../errors.ts'
import type { StoredBlob, WriteOptions } from './blob-store.ts'

/** The bytes of a source on their way into a store. */
export interface MeasuredSource {
  /** To be read once. It throws when the source fails, gives too much, or the signal aborts. */
  readonly bytes: AsyncGenerator<Buffer, void, undefined>
  /** What `bytes` or `result` has thrown: then the store is not to blame, whatever has become of it. */
  readonly fault: { readonly error: unknown } | undefined
  /** What has come; once all of it has. @throws the reason of the signal, which may abort until now */
  result(): StoredBlob
}

/** Counts and hashes what a source gives, bounds it, and lets a signal end it even while it gives nothing. */
export function measureSource(source: AsyncIterable<Buffer>, { most, signal }: WriteOptions): MeasuredSource {
  const hash = createHash('md5')
  let size = 0
  let fault: { readonly error: unknown } | undefined

  async function next(iterator: AsyncIterator<Buffer>): Promise<Buffer | null> {
    try {
      const { done, value: chunk } = await orAborted(() => iterator.next(), signal)
      if (done) return null
      size += chunk.length
      if (size > most) throw errors.payloadTooLarge()
      hash.update(chunk)
      return chunk
    } catch (error) {
      fault = { error }
      throw error
    }
  }

  // What a store throws into it, to end it early, is no fault of the source.
  async function* bytes() {
    const iterator = source[Symbol.asyncIterator]()
    try {
      for (let chunk = await next(iterator); chunk !== null; chunk = await next(iterator)) yield chunk
    } finally {
      // A source that hangs would not answer, so nobody waits for it.
      void iterator.return?.().catch(() => {})
    }
  }

  return {
    bytes: bytes(),
    get fault() {
      return fault
    },
    result() {
      if (signal?.aborted) {
        fault = { error: signal.reason }
        throw signal.reason
      }
      return { size, md5: hash.digest('hex') }
    },
  }
}

/** @throws the reason of the signal as soon as it aborts */
function orAborted<Result>(begin: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return begin()
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    begin()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}
