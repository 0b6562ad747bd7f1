import { createHash } from 'node:crypto'
import { errors } from '../../errors.ts'
import type { StoredBlob, WriteOptions } from './blob-store.ts'

/** The bytes of a source, counted and hashed while they are read. */
export interface MeasuredSource {
  /** Can be read once. Throws when the source fails, exceeds the maximum size, or the signal aborts. */
  readonly bytes: AsyncGenerator<Buffer, void, undefined>
  /** Set when `bytes` or `result` has thrown. The failure is then the source's, not the store's. */
  readonly fault: { readonly error: unknown } | undefined
  /** Returns size and MD5 after all bytes were read. @throws the reason of the signal if it has aborted by now */
  result(): StoredBlob
}

/** Counts, hashes and limits the bytes of a source. The signal ends it even while the source yields nothing. */
export function measureSource(source: AsyncIterable<Buffer>, { max, signal }: WriteOptions): MeasuredSource {
  const hash = createHash('md5')
  let size = 0
  let fault: { readonly error: unknown } | undefined

  async function next(iterator: AsyncIterator<Buffer>): Promise<Buffer | null> {
    try {
      const { done, value: chunk } = await orAborted(() => iterator.next(), signal)
      if (done) return null
      size += chunk.length
      if (size > max) throw errors.payloadTooLarge()
      hash.update(chunk)
      return chunk
    } catch (error) {
      fault = { error }
      throw error
    }
  }

  // An error that the store throws into the generator to end it early is not a fault of the source.
  async function* bytes() {
    const iterator = source[Symbol.asyncIterator]()
    try {
      for (let chunk = await next(iterator); chunk !== null; chunk = await next(iterator)) yield chunk
    } finally {
      // A hanging source would never settle, so this is not awaited.
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

/** Runs `begin`, but rejects as soon as the signal aborts. @throws the reason of the signal */
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
