import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { at, firstOf, notice } from '../../notices/notice.ts'
import { noticeOf } from '../../notices/noticed-error.ts'
import { ByteReader } from './byte-reader.ts'
import { checkExpansion } from './expansion.ts'
import { inflate } from './inflate.ts'
import { printableName } from './printable-name.ts'
import { SourceFault } from './source-fault.ts'
import { type ArchiveEntry, failing } from './tar.ts'
import { contentStart, unlistedFiles, type ZipFile, zipDirectory } from './zip-directory.ts'
import { salvagedFiles } from './zip-salvage.ts'

const [STORED, DEFLATED] = [0, 8]
/** Flags of a file (APPNOTE 4.4.4). */
const [ENCRYPTED, STRONGLY_ENCRYPTED] = [0x1, 0x40]
/** Unsupported compression methods (APPNOTE 4.4.5). */
const METHODS: { readonly [method: number]: string } = {
  1: 'Shrink',
  2: 'Reduce',
  3: 'Reduce',
  4: 'Reduce',
  5: 'Reduce',
  6: 'Implode',
  9: 'Deflate64',
  10: 'Implode',
  12: 'BZip2',
  14: 'LZMA',
  16: 'CMPSC',
  18: 'Terse',
  19: 'LZ77',
  20: 'Zstandard',
  93: 'Zstandard',
  94: 'MP3',
  95: 'XZ',
  96: 'JPEG',
  97: 'WavPack',
  98: 'PPMd',
}
const AES = 99
/** Bytes of the archive that are read at once. */
const PIECE = 256 * 1024

/**
 * Yields the files of a zip archive on disk, including those that cannot be unpacked: reading these throws the reason.
 * @param size the size of the archive in bytes
 * @param onRead called with the number of bytes of each read
 * @throws SourceFault after the files when the archive as a whole is damaged, for example has no directory
 */
export async function* zipEntries(
  archive: FileHandle,
  size: number,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<ArchiveEntry> {
  const read = (start: number, end: number) => bytesBetween(archive, start, end, onRead)
  const directory = await zipDirectory(archive, size).catch((error: unknown) => {
    if (error instanceof SourceFault) return error
    throw error
  })
  const isComplete = !(directory instanceof SourceFault)
  const files = isComplete ? directory.files : await salvagedFiles(archive, size, read)
  // The total of all files, because files may overlap.
  let out = 0
  for (const file of files) {
    if (!isPossible(file)) {
      yield { name: file.name, size: null, content: failing(notice('archiveOffsetWrong')) }
      continue
    }
    out += file.size
    try {
      checkExpansion(out, size)
    } catch (error) {
      throw new SourceFault(at(printableName(file.name), noticeOf(error)))
    }
    // Only folders end with a slash, and these are empty. A file with such a name has content.
    if (!isFolder(file.name) || file.size > 0)
      yield { name: file.name, size: file.size, content: contentOf(archive, file, read) }
  }
  if (!isComplete) throw directory
  if (directory.fault !== null) throw new SourceFault(directory.fault)
  const unlisted = await unlistedFiles(archive, directory)
  if (unlisted.length > 0)
    throw new SourceFault(notice('archiveFilesNotListed', { byte: firstOf(unlisted.map(String), MAX_SHOWN) }))
}

/** Returns whether the numbers of a file are safe integers. Numbers of 64 bits can exceed any file. */
function isPossible({ size, packedSize, offset }: ZipFile): boolean {
  return [size, packedSize, offset].every((number) => Number.isSafeInteger(number) && number >= 0)
}

/** Maximum positions in a message. */
const MAX_SHOWN = 10

type Reading = (start: number, end: number) => AsyncGenerator<Buffer>

function isFolder(name: string): boolean {
  return name.endsWith('/') || name.endsWith('\\')
}

function contentOf(archive: FileHandle, file: ZipFile, read: Reading): AsyncGenerator<Buffer> {
  const { name, flags, method } = file
  if (name.split(/[/\\]/).includes('..') || /^([/\\]|[A-Za-z]:)/.test(name))
    return failing(notice('nameOutsideArchive'))
  if (flags & (ENCRYPTED | STRONGLY_ENCRYPTED) || method === AES) return failing(notice('passwordProtected'))
  if (method !== STORED && method !== DEFLATED) {
    const packed = METHODS[method] ?? notice('packingMethod', { method })
    return failing(notice('archivePackingUnknown', { packing: packed }))
  }
  return checked(file, unpacked(archive, file, read))
}

async function* unpacked(archive: FileHandle, file: ZipFile, read: Reading): AsyncGenerator<Buffer> {
  const start = await contentStart(archive, file)
  if (start === null) throw new SourceFault(notice('notWhereListed'))
  const packed = read(start, start + file.packedSize)
  if (file.method === STORED) yield* packed
  else yield* inflate(new ByteReader(packed))
}

async function* bytesBetween(
  archive: FileHandle,
  start: number,
  end: number,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for (let position = start; position < end; ) {
    const length = Math.min(PIECE, end - position)
    const { bytesRead, buffer } = await archive.read(Buffer.allocUnsafe(length), 0, length, position)
    if (bytesRead === 0) throw new SourceFault(notice('archiveEndsWithin'))
    position += bytesRead
    onRead(bytesRead)
    yield buffer.subarray(0, bytesRead)
  }
}

/** Yields the content and checks it against the archive's list. @throws SourceFault when size or checksum differ */
async function* checked({ size, crc }: ZipFile, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [length, sum] = [0, 0]
  for await (const piece of content) {
    length += piece.length
    if (length > size) throw new SourceFault(notice('longerThanListed', { bytes: size }))
    sum = crc32(piece, sum)
    yield piece
  }
  if (length < size) throw new SourceFault(notice('shorterThanListed', { bytes: length, listed: size }))
  if (sum !== crc) throw new SourceFault(notice('checksumWrong'))
}
