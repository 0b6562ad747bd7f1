import type { FileHandle } from 'node:fs/promises'
import { ByteReader, type Bytes } from './byte-reader.ts'
import { checkExpansion } from './expansion.ts'
import { inflate } from './inflate.ts'
import { SourceFault } from './source-fault.ts'
import {
  bytesAt,
  LOCAL,
  localHeaderIn,
  MAX_FILES,
  nameOf,
  UTF8_NAME,
  withLongSizes,
  type ZipFile,
} from './zip-directory.ts'

const [ENCRYPTED, HAS_DESCRIPTOR] = [0x1, 0x8]
const DEFLATED = 8
const DESCRIPTOR = 0x08074b50
/** Maximum bytes of the names and extra fields of all files, which are kept in memory. */
const MAX_NAMES = 64 * 1024 * 1024

/**
 * Finds the files of a zip archive without a directory by the local headers before their contents (APPNOTE 4.3.7), so that a
 * truncated archive can be read up to the cut. The search ends where no header follows.
 * @param read reads the bytes of the archive between two positions
 */
export async function salvagedFiles(
  archive: FileHandle,
  archiveSize: number,
  read: (start: number, end: number) => Bytes,
): Promise<readonly ZipFile[]> {
  const files: ZipFile[] = []
  let names = 0
  for (let offset: number | undefined = 0; offset !== undefined && files.length < MAX_FILES; ) {
    const header: Buffer = await bytesAt(archive, offset, 30)
    if (header.length < 30 || header.readUInt32LE(0) !== LOCAL) break
    const nameEnd = header.readUInt16LE(26)
    names += nameEnd + header.readUInt16LE(28)
    if (names > MAX_NAMES) break
    const rest = await bytesAt(archive, offset + 30, nameEnd + header.readUInt16LE(28))
    const start: number = offset + 30 + nameEnd + header.readUInt16LE(28)
    const said = fileOf(header, rest, offset)
    const isUnknown = (said.flags & HAS_DESCRIPTOR) !== 0 && said.packedSize === 0
    const canFind = said.method === DEFLATED && (said.flags & ENCRYPTED) === 0
    const file = isUnknown && canFind ? await withSizes(archive, said, start, read(start, archiveSize)) : said
    files.push(file)
    if (isUnknown && !canFind) break
    offset = (await localHeaderIn(archive, start + file.packedSize, archiveSize))[0]
  }
  return files
}

/** @param rest the name and the extra fields */
function fileOf(header: Buffer, rest: Buffer, offset: number): ZipFile {
  const nameEnd = header.readUInt16LE(26)
  const flags = header.readUInt16LE(6)
  const short = { size: header.readUInt32LE(22), packedSize: header.readUInt32LE(18), offset }
  return {
    name: nameOf(rest.subarray(0, nameEnd), (flags & UTF8_NAME) !== 0),
    flags,
    method: header.readUInt16LE(8),
    crc: header.readUInt32LE(14),
    ...withLongSizes(short, rest.subarray(nameEnd)),
  }
}

/** Finds the end of a content whose sizes follow it. Truncated content extends to the end of the archive. */
async function withSizes(archive: FileHandle, file: ZipFile, start: number, bytes: Bytes): Promise<ZipFile> {
  const reader = new ByteReader(bytes)
  let size = 0
  try {
    for await (const piece of inflate(reader)) {
      size += piece.length
      checkExpansion(size, reader.position)
    }
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error
  }
  const packedSize = reader.position
  await reader.close()
  const descriptor = await bytesAt(archive, start + packedSize, 8)
  if (descriptor.length < 8) return { ...file, packedSize, size }
  const isMarked = descriptor.readUInt32LE(0) === DESCRIPTOR
  return { ...file, packedSize, size, crc: descriptor.readUInt32LE(isMarked ? 4 : 0) }
}
