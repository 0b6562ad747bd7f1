import { once } from 'node:events'
import { createGunzip, type Gunzip } from 'node:zlib'
import type { Bytes } from './byte-reader.ts'
import { SourceFault } from './source-fault.ts'

/** Bytes that are unpacked at once: a thousand times as many may come out, and are held. */
const PIECE = 16 * 1024
/** Bytes from which on it is looked at how much more comes out than goes in, and how many times as much it may be. */
const HARMLESS = 64 * 1024 * 1024
const MOST_TIMES = 300

/**
 * Unpacks gzip. What can be unpacked of a damaged or cut stream comes first, then the fault.
 * @throws SourceFault; also for what expands so much that it must be meant to do harm
 */
export async function* gunzip(packed: Bytes): AsyncGenerator<Buffer> {
  const unpacker = createGunzip()
  const ready: Buffer[] = []
  let fault: Error | undefined
  unpacker.on('data', (piece: Buffer) => void ready.push(piece))
  unpacker.on('error', (error) => {
    fault = error
  })
  let [into, out] = [0, 0]
  try {
    for await (const chunk of packed) {
      for (let start = 0; start < chunk.length && !fault; start += PIECE) {
        const piece = chunk.subarray(start, start + PIECE)
        await write(unpacker, piece)
        into += piece.length
        for (const unpacked of ready.splice(0)) {
          out += unpacked.length
          yield unpacked
        }
        if (out > HARMLESS && out > into * MOST_TIMES)
          throw new SourceFault(`it expands to more than ${MOST_TIMES} times its size, which no export does`)
      }
      if (fault) break
    }
    if (!fault) {
      const ended = Promise.race([once(unpacker, 'end'), once(unpacker, 'close')]).catch(() => {})
      unpacker.end()
      await ended
    }
    yield* ready.splice(0)
    if (fault) throw new SourceFault(`it is cut off or damaged: ${fault.message}`)
  } finally {
    unpacker.destroy()
  }
}

/** Resolves when the piece is unpacked, or has turned out to be damaged. */
function write(unpacker: Gunzip, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      unpacker.off('close', done)
      resolve()
    }
    unpacker.once('close', done)
    unpacker.write(piece, done)
  })
}
