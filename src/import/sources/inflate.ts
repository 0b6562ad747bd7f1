import { once } from 'node:events'
import { createInflateRaw, type InflateRaw } from 'node:zlib'
import { notice } from '../../notices/notice.ts'
import type { ByteReader } from './byte-reader.ts'
import { SourceFault } from './source-fault.ts'

/** Bytes that are unpacked at once. The output can be a thousand times as large, and is buffered. */
const PIECE = 16 * 1024

/**
 * Unpacks a deflate stream, and leaves the reader at the first byte after it. The readable part of a damaged stream is yielded
 * before the fault.
 * @throws SourceFault when the stream is cut off or damaged
 */
export async function* inflate(reader: ByteReader): AsyncGenerator<Buffer> {
  const unpacker = createInflateRaw()
  const ready: Buffer[] = []
  let damage: Error | undefined
  let hasEnded = false
  unpacker.on('data', (piece: Buffer) => void ready.push(piece))
  unpacker.on('end', () => {
    hasEnded = true
  })
  unpacker.on('error', (error) => {
    damage = error
  })
  let given = 0
  let fault: unknown
  try {
    while (!hasEnded && !damage) {
      const piece = await reader.next(PIECE).catch((error: unknown) => {
        fault = error
        return null
      })
      if (!piece) break
      given += piece.length
      await write(unpacker, piece)
      yield* ready.splice(0)
      if (hasEnded) reader.unread(piece.subarray(piece.length - (given - unpacker.bytesWritten)))
    }
    if (!hasEnded && !damage) {
      const ended = Promise.race([once(unpacker, 'end'), once(unpacker, 'close')]).catch(() => {})
      unpacker.end()
      await ended
    }
    yield* ready.splice(0)
    if (fault !== undefined) throw fault
    if (damage) throw new SourceFault(notice('cutOffOrDamaged', { reason: damage.message }))
  } finally {
    unpacker.destroy()
  }
}

/** Resolves when the chunk is unpacked, is found to be damaged, or contains the end of the stream. */
function write(unpacker: InflateRaw, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      unpacker.off('close', done)
      unpacker.off('end', done)
      resolve()
    }
    unpacker.once('close', done)
    unpacker.once('end', done)
    unpacker.write(piece, done)
  })
}
