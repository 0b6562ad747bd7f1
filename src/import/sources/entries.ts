import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { notice } from '../../notices/notice.ts'
import { bufferToDisk } from './buffer-to-disk.ts'
import { ByteReader, type Bytes } from './byte-reader.ts'
import { ExpansionBound } from './expansion.ts'
import { gunzip, isGzip } from './gunzip.ts'
import { isTooLong, printableName } from './printable-name.ts'
import { SourceFault } from './source-fault.ts'
import { type ArchiveEntry, failing, isTar, tarEntries } from './tar.ts'
import { zipEntries } from './zip.ts'
import { isZip } from './zip-directory.ts'

/** An unpacked file with records. It can be read once, before the next file is requested. */
export interface SourceEntry {
  /**
   * The name in the archive without the suffix of a compressed file, prefixed with the names of the outer archives; the file's
   * own name when it is not in an archive.
   */
  readonly name: string
  /** Bytes according to the directory of its archive; null when no directory has the size. */
  readonly size: number | null
  /** Whether it is in an archive of files. */
  readonly isPacked: boolean
  readonly reader: ByteReader
}

/** Maximum nesting of archives, and maximum files in all of them. */
const MAX_DEPTH = 3
const MAX_ENTRIES = 100_000
/** Maximum characters of the names of all files, which are kept in memory while a source is read. */
const MAX_NAMES = 16 * 1024 * 1024
/** Names of archives and compressed files. None of these formats has empty files, so an empty one was lost on its way. */
const ARCHIVE = /\.(t?gz|tgz|zip|tar|bz2|tbz2?|xz|txz|7z|rar|zst|lz4|lzma|z)$/i

/**
 * Yields the files in a source on disk: the file itself, or the files in an archive. Formats are detected by content. Names that
 * lead outside are harmless, because no file is written under its name. A file that cannot be unpacked is yielded too; reading it
 * throws the reason, and the files after it follow.
 * @param name the name of the file, for people
 * @param onRead called with the number of bytes of each read
 * @throws SourceFault when the source is cut off or damaged, after all readable files; an Error when it cannot be read
 */
export async function* sourceEntries(
  path: string,
  name: string,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<SourceEntry> {
  const { size: packed, isZipArchive } = await describe(path)
  const bound = new ExpansionBound(() => packed)
  yield* bounded(
    isZipArchive
      ? zipAt(path, onRead, bound)
      : unpack({ name, size: null, bytes: fileBytes(path, onRead), depth: 0, isPacked: false, bound }),
  )
}

/**
 * Yields the files in a stream of bytes, for example an archive that a server sends.
 * @throws SourceFault when it is cut off or damaged, after all readable files
 */
export function streamEntries(name: string, bytes: Bytes): AsyncGenerator<SourceEntry> {
  let packed = 0
  async function* counted() {
    for await (const piece of bytes) {
      packed += piece.length
      yield piece
    }
  }
  const bound = new ExpansionBound(() => packed)
  return bounded(unpack({ name, size: null, bytes: counted(), depth: 0, isPacked: false, bound }))
}

/** Yields the entries with printable names. @throws SourceFault when there are too many, or their names are too long in total */
async function* bounded(entries: AsyncIterable<SourceEntry>): AsyncGenerator<SourceEntry> {
  let [count, characters] = [0, 0]
  for await (const entry of entries) {
    const name = printableName(entry.name)
    characters += name.length
    if (++count > MAX_ENTRIES) throw new SourceFault(notice('tooManyArchiveFiles', { maximum: MAX_ENTRIES }))
    if (characters > MAX_NAMES) throw new SourceFault(notice('archiveNamesTooLong', { maximum: MAX_NAMES }))
    const isLong = isTooLong(entry.name)
    yield { ...entry, name, reader: isLong ? new ByteReader(failing(notice('archiveNameTooLong'))) : entry.reader }
  }
}

/** A file or an archive in the source. */
interface Found {
  readonly name: string
  readonly size: number | null
  readonly bytes: Bytes
  /** Number of archives that contain it. */
  readonly depth: number
  /** Whether one of them is an archive of several files; gzip contains a single file. */
  readonly isPacked: boolean
  /** The name of the gzip file with this content: a gzipped tar archive counts as one archive. */
  readonly gzipName?: string
  /** The bound for the whole source. */
  readonly bound: ExpansionBound
}

async function* unpack({ name, size, bytes, depth, isPacked, gzipName, bound }: Found): AsyncGenerator<SourceEntry> {
  const reader = new ByteReader(depth === 0 ? bytes : bound.counted(bytes, depth))
  try {
    const beginning = await reader.peek(512)
    if (beginning.length === 0 && reader.fault === undefined && ARCHIVE.test(name)) {
      yield { name, size, isPacked, reader: new ByteReader(failing(notice('emptyArchive'))) }
      return
    }
    const isArchive = isGzip(beginning) || isTar(beginning) || isZip(beginning)
    const level = gzipName !== undefined && isTar(beginning) ? depth - 1 : depth
    if (isArchive && level >= MAX_DEPTH) {
      const reason = notice('archivesNestedTooDeep', { maximum: MAX_DEPTH })
      yield { name, size, isPacked, reader: new ByteReader(failing(reason)) }
    } else if (isGzip(beginning)) {
      const inner = { name: name.replace(/\.t?gz$/i, ''), size: null, bytes: gunzip(reader.rest()), bound }
      yield* unpack({ ...inner, depth: depth + 1, isPacked, gzipName: name })
    } else if (isTar(beginning))
      yield* unpackAll(tarEntries(reader.rest()), within(gzipName ?? name, level), level + 1, bound)
    else if (isZip(beginning)) yield* zipWithin(name, reader, level, bound)
    else yield { name, size, isPacked, reader }
  } finally {
    await reader.close()
  }
}

/** Returns the prefix of file names in an archive. Names in the outermost archive have none. */
function within(name: string, depth: number): string {
  return depth === 0 ? '' : `${name}/`
}

async function* zipAt(
  path: string,
  onRead: (bytes: number) => void,
  bound: ExpansionBound,
): AsyncGenerator<SourceEntry> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    yield* unpackAll(zipEntries(file, size, onRead), '', 1, bound)
  } finally {
    await file.close()
  }
}

/** Yields the files of a zip archive inside another archive. */
async function* zipWithin(
  name: string,
  reader: ByteReader,
  depth: number,
  bound: ExpansionBound,
): AsyncGenerator<SourceEntry> {
  const { file, size, fault } = await bufferToDisk(reader.rest())
  try {
    yield* unpackAll(zipEntries(file, size), within(name, depth), depth + 1, bound)
  } catch (error) {
    // A fault of the stream causes the fault of the archive, so it is reported instead.
    throw fault ?? error
  } finally {
    await file.close()
  }
  if (fault !== undefined) throw fault
}

/** Unpacks the files of an archive. A damaged inner archive only ends itself: the files after it follow. */
async function* unpackAll(
  entries: AsyncIterable<ArchiveEntry>,
  before: string,
  depth: number,
  bound: ExpansionBound,
): AsyncGenerator<SourceEntry> {
  for await (const { name, size, content } of entries) {
    const fullName = before + name
    try {
      yield* unpack({ name: fullName, size, bytes: content, depth, isPacked: true, bound })
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error
      yield { name: fullName, size, isPacked: true, reader: new ByteReader(failing(error.notice)) }
    }
  }
}

async function* fileBytes(path: string, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const piece of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    onRead(piece.length)
    yield piece
  }
}

async function describe(path: string): Promise<{ readonly size: number; readonly isZipArchive: boolean }> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return { size: (await file.stat()).size, isZipArchive: isZip(buffer.subarray(0, bytesRead)) }
  } finally {
    await file.close()
  }
}
