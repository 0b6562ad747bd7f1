import type { FileHandle } from 'node:fs/promises'
import { type Notice, notice } from '../../notices/notice.ts'
import { SourceFault } from './source-fault.ts'

/** A file as listed in the directory of a zip archive. */
export interface ZipFile {
  readonly name: string
  readonly flags: number
  /** The compression method. */
  readonly method: number
  readonly crc: number
  /** Bytes, packed and unpacked. */
  readonly packedSize: number
  readonly size: number
  /** Offset of its local header in the archive. */
  readonly offset: number
}

export interface ZipDirectory {
  /** In directory order, including folders. */
  readonly files: readonly ZipFile[]
  /** Number of files according to the directory; `files` has fewer when it is damaged. */
  readonly count: number
  /** Offset of the directory. */
  readonly offset: number
  /** A fault of the archive as a whole; null when there is none. */
  readonly fault: Notice | null
}

export const LOCAL = 0x04034b50
const [CENTRAL, END, END_64, LOCATOR_64] = [0x02014b50, 0x06054b50, 0x06064b50, 0x07064b50]
const SPLIT_MARK = 0x08074b50
const END_SIZE = 22
const MAX_COMMENT = 0xffff
/** Bytes after the end of an archive in which its end record is searched. */
const MAX_TRAILING = 1024 * 1024
const MAX_DIRECTORY = 64 * 1024 * 1024
export const MAX_FILES = 100_000
/** Maximum number of positions that look like the end record and are read. */
const MAX_ENDS = 1000
export const UTF8_NAME = 0x800

/** Returns whether a file with this beginning is a zip archive, which may be empty, or the first part of a split one. */
export function isZip(beginning: Buffer): boolean {
  if (beginning.length < 4) return false
  const signature = beginning.readUInt32LE(0)
  return signature === LOCAL || signature === END || signature === SPLIT_MARK
}

/** The content of the end record. */
interface End {
  readonly count: number
  /** Whether the count has 16 bits, so that larger counts wrap around. */
  readonly isShort: boolean
  readonly size: number
  /** The offset of the directory according to the end record, and its actual offset. */
  readonly saidOffset: number
  readonly offset: number
  /** Bytes after the end that are not part of the archive. */
  readonly trailing: number
  readonly isPart: boolean
}

/**
 * Reads the directory of a zip archive, which is at its end (APPNOTE 4.3). It is parsed here, because libraries stop at the first
 * unreadable file and would lose the files after it.
 * @throws SourceFault when there is no readable directory
 */
export async function zipDirectory(file: FileHandle, fileSize: number): Promise<ZipDirectory> {
  const end = await endOf(file, fileSize)
  if (!end) {
    throw new SourceFault(notice('archiveListMissing'))
  }
  if (end.isPart) throw new SourceFault(notice('splitArchive'))
  if (end.size > MAX_DIRECTORY) throw new SourceFault(notice('archiveListTooLong'))
  // The declared size may exceed the file.
  const bytes = await bytesAt(file, end.offset, Math.min(end.size, fileSize - end.offset))
  const shift = end.offset - end.saidOffset
  const files: ZipFile[] = []
  let position = 0
  while (position + 46 <= bytes.length && bytes.readUInt32LE(position) === CENTRAL) {
    const length = 46 + bytes.readUInt16LE(position + 28) + bytes.readUInt16LE(position + 30)
    const next = position + length + bytes.readUInt16LE(position + 32)
    if (next > bytes.length) break
    if (files.length === MAX_FILES) throw new SourceFault(notice('tooManyArchiveFiles', { maximum: MAX_FILES }))
    files.push(fileOf(bytes.subarray(position, position + length), shift))
    position = next
  }
  const isComplete = end.isShort ? files.length % 2 ** 16 === end.count : files.length === end.count
  const fault = faultOf(end, files.length, isComplete, shift)
  return { files, count: isComplete ? files.length : end.count, offset: end.offset, fault }
}

function faultOf({ count, trailing }: End, found: number, isComplete: boolean, shift: number): Notice | null {
  if (!isComplete) return notice('archiveListCount', { listed: count, readable: found })
  if (shift > 0) return notice('archiveBytesInFront', { bytes: shift })
  return trailing > 0 ? notice('archiveBytesBehind', { bytes: trailing }) : null
}

async function endOf(file: FileHandle, fileSize: number): Promise<End | null> {
  const length = Math.min(fileSize, END_SIZE + MAX_COMMENT + MAX_TRAILING)
  const start = fileSize - length
  const bytes = await bytesAt(file, start, length)
  const signature = Buffer.from('PK\u0005\u0006', 'latin1')
  let looked = 0
  for (let at = bytes.lastIndexOf(signature); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(signature, at - 1)) {
    if (++looked > MAX_ENDS) return null
    const end = at + END_SIZE <= bytes.length ? await endAt(file, bytes.subarray(at), start + at) : null
    if (end) return end
  }
  return null
}

/** @param bytes from the signature on. @returns null when no directory is at the declared position */
async function endAt(file: FileHandle, bytes: Buffer, at: number): Promise<End | null> {
  const trailing = bytes.length - END_SIZE - bytes.readUInt16LE(20)
  const short = {
    count: bytes.readUInt16LE(10),
    size: bytes.readUInt32LE(12),
    saidOffset: bytes.readUInt32LE(16),
    isPart: bytes.readUInt16LE(4) !== 0 || bytes.readUInt16LE(8) !== bytes.readUInt16LE(10),
  }
  const long = await end64Before(file, at)
  const { count, size, saidOffset, isPart } = long ?? short
  const endOfDirectory = long?.at ?? at
  const end = { count, isShort: !long, size, saidOffset, trailing, isPart }
  if (isPart) return trailing === 0 ? { ...end, offset: saidOffset } : null
  if (count === 0 && size === 0) return { ...end, offset: endOfDirectory, saidOffset: endOfDirectory }
  for (const offset of [endOfDirectory - size, saidOffset]) {
    if (!Number.isSafeInteger(offset) || offset < 0 || offset + 46 > at) continue
    const begin = await bytesAt(file, offset, 4)
    if (begin.length === 4 && begin.readUInt32LE(0) === CENTRAL) return { ...end, offset }
  }
  return null
}

/** Reads the end record of an archive whose numbers of files or sizes exceed 16 and 32 bits (APPNOTE 4.3.14). */
async function end64Before(file: FileHandle, at: number) {
  const locator = at >= 20 ? await bytesAt(file, at - 20, 20) : null
  if (!locator || locator.readUInt32LE(0) !== LOCATOR_64) return null
  // Its offset is wrong when bytes precede the archive. Then the record is directly before the locator.
  for (const position of [Number(locator.readBigUInt64LE(8)), at - 20 - 56]) {
    if (!Number.isSafeInteger(position) || position < 0 || position > at - 20 - 56) continue
    const bytes = await bytesAt(file, position, 56)
    if (bytes.length < 56 || bytes.readUInt32LE(0) !== END_64) continue
    return {
      at: position,
      count: Number(bytes.readBigUInt64LE(32)),
      size: Number(bytes.readBigUInt64LE(40)),
      saidOffset: Number(bytes.readBigUInt64LE(48)),
      isPart: bytes.readUInt32LE(16) !== 0,
    }
  }
  return null
}

/** @param header the directory entry of a file, with its name and extra fields */
function fileOf(header: Buffer, shift: number): ZipFile {
  const nameEnd = 46 + header.readUInt16LE(28)
  const flags = header.readUInt16LE(8)
  const short = {
    size: header.readUInt32LE(24),
    packedSize: header.readUInt32LE(20),
    offset: header.readUInt32LE(42),
  }
  const { size, packedSize, offset } = withLongSizes(short, header.subarray(nameEnd))
  return {
    name: nameOf(header.subarray(46, nameEnd), (flags & UTF8_NAME) !== 0),
    flags,
    method: header.readUInt16LE(10),
    crc: header.readUInt32LE(16),
    packedSize,
    size,
    offset: offset + shift,
  }
}

interface Sizes {
  readonly size: number
  readonly packedSize: number
  readonly offset: number
}

/** Reads sizes that do not fit into 32 bits from the extra fields, where they have this order (APPNOTE 4.5.3). */
export function withLongSizes(sizes: Sizes, extra: Buffer): Sizes {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    const numbers = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2))
    let next = 0
    const long = (value: number) => {
      if (value !== 0xffffffff || next + 8 > numbers.length) return value
      next += 8
      return Number(numbers.readBigUInt64LE(next - 8))
    }
    const size = long(sizes.size)
    const packedSize = long(sizes.packedSize)
    return { size, packedSize, offset: long(sizes.offset) }
  }
  return sizes
}

/** Decodes a name as UTF-8, or as GBK, which Chinese Windows writes, when it is not valid UTF-8. */
export function nameOf(bytes: Buffer, isUtf8Said: boolean): string {
  if (isUtf8Said) return bytes.toString('utf8')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('gbk').decode(bytes)
  }
}

/** Returns the offset of a file's content; null when no local header is at its offset. */
export async function contentStart(file: FileHandle, { offset }: ZipFile): Promise<number | null> {
  if (!Number.isSafeInteger(offset) || offset < 0) return null
  const header = await bytesAt(file, offset, 30)
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL) return null
  return offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
}

/** Sizes of a data descriptor in its variants, which may follow the content (APPNOTE 4.3.9). */
const DESCRIPTORS = [0, 12, 16, 20, 24]

/**
 * Finds files between those that the directory lists, which a damaged or truncated directory omits.
 * @returns the offset of the local header of each
 */
export async function unlistedFiles(
  file: FileHandle,
  { files, offset: directory }: ZipDirectory,
): Promise<readonly number[]> {
  const found: number[] = []
  const sorted = [...files].sort((a, b) => a.offset - b.offset)
  let end = 0
  for (const one of sorted) {
    if (one.offset > end) found.push(...(await localHeaderIn(file, end, one.offset)))
    end = Math.max(end, ((await contentStart(file, one)) ?? one.offset) + one.packedSize)
  }
  if (directory > end) found.push(...(await localHeaderIn(file, end, directory)))
  return found
}

/** Returns the offset of a local header at the start of a gap between files, optionally after a data descriptor. */
export async function localHeaderIn(file: FileHandle, start: number, end: number): Promise<readonly number[]> {
  if (end - start < 30) return []
  const bytes = await bytesAt(file, start, Math.min(end - start, 24 + 30))
  const at = DESCRIPTORS.find((size) => size + 4 <= bytes.length && bytes.readUInt32LE(size) === LOCAL)
  return at === undefined ? [] : [start + at]
}

export async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
