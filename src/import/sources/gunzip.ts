import { crc32 } from 'node:zlib'
import { notice } from '../../notices/notice.ts'
import { ByteReader, type Bytes } from './byte-reader.ts'
import { checkExpansion } from './expansion.ts'
import { inflate } from './inflate.ts'
import { SourceFault } from './source-fault.ts'

const DEFLATE = 8
/** Flags of a header (RFC 1952, Member header and trailer). */
const [HEADER_CRC, EXTRA, NAME, COMMENT] = [2, 4, 8, 16]
const MAX_HEADER_TEXT = 64 * 1024
/**
 * Number of members from which their mean size is checked, and its minimum: starting a member is far more expensive than its
 * bytes.
 */
const MAX_SMALL_MEMBERS = 10_000
const MIN_MEAN_MEMBER = 1024

/** Returns whether a stream with this beginning is gzip. */
export function isGzip(beginning: Buffer): boolean {
  return beginning.length > 2 && beginning[0] === 0x1f && beginning[1] === 0x8b
}

/**
 * Unpacks gzip: one or several members, optionally followed by zeros. Members are parsed here, because zlib drops the output of a
 * chunk that also contains bytes after the last member. The readable part of a damaged stream is yielded before the fault.
 * @throws SourceFault when the stream is cut off, damaged, followed by other bytes, or expands so much that it must be an attack
 */
export async function* gunzip(packed: Bytes): AsyncGenerator<Buffer> {
  const reader = new ByteReader(packed)
  let out = 0
  let members = 0
  try {
    while (await hasMember(reader)) {
      if (++members > MAX_SMALL_MEMBERS && out < members * MIN_MEAN_MEMBER)
        throw new SourceFault(notice('tooManyGzipMembers', { maximum: MAX_SMALL_MEMBERS, bytes: MIN_MEAN_MEMBER }))
      await skipHeader(reader)
      let [crc, size] = [0, 0]
      for await (const piece of inflate(reader)) {
        crc = crc32(piece, crc)
        size += piece.length
        out += piece.length
        checkExpansion(out, reader.position)
        yield piece
      }
      const trailer = await reader.take(8)
      if (!trailer) throw new SourceFault(notice('cutOff'))
      if (trailer.readUInt32LE(0) !== crc) throw new SourceFault(notice('checksumWrong'))
      if (trailer.readUInt32LE(4) !== size % 2 ** 32) throw new SourceFault(notice('sizeWrong'))
    }
  } finally {
    await reader.close()
  }
}

/** Skips the zeros after a member. @throws SourceFault when other bytes follow */
async function hasMember(reader: ByteReader): Promise<boolean> {
  if (reader.position === 0) return true
  for (let piece = await reader.next(); piece; piece = await reader.next()) {
    const start = piece.findIndex((byte) => byte !== 0)
    if (start < 0) continue
    reader.unread(piece.subarray(start))
    if (isGzip(await reader.peek(3))) return true
    throw new SourceFault(notice('bytesBehindEnd'))
  }
  return false
}

async function skipHeader(reader: ByteReader): Promise<void> {
  const header = await reader.take(10)
  if (!header) throw new SourceFault(notice('cutOff'))
  if (header[2] !== DEFLATE) throw new SourceFault(notice('fileHeaderWrong'))
  const flags = header[3]!
  if (flags & EXTRA) {
    const length = await reader.take(2)
    if (!length || !(await reader.skip(length.readUInt16LE(0)))) throw new SourceFault(notice('cutOff'))
  }
  if (flags & NAME) await skipText(reader)
  if (flags & COMMENT) await skipText(reader)
  if (flags & HEADER_CRC && !(await reader.skip(2))) throw new SourceFault(notice('cutOff'))
}

/** Skips a text and its terminating zero. */
async function skipText(reader: ByteReader): Promise<void> {
  for (let length = 0; length < MAX_HEADER_TEXT; length++) {
    const byte = await reader.take(1)
    if (!byte) throw new SourceFault(notice('cutOff'))
    if (byte[0] === 0) return
  }
  throw new SourceFault(notice('fileHeaderWrong'))
}
