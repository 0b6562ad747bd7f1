import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { notice } from '../../notices/notice.ts'
import { ByteReader, type Bytes } from './byte-reader.ts'
import { ExpansionBound } from './expansion.ts'
import { gunzip, isGzip } from './gunzip.ts'
import { isTooLong, printableName } from './printable-name.ts'
import { SourceFault } from './source-fault.ts'
import { spool } from './spool.ts'
import { type ArchiveEntry, failing, isTar, tarEntries } from './tar.ts'
import { zipEntries } from './zip.ts'
import { isZip } from './zip-directory.ts'

/** A file with records in it, unpacked. It can be read once, before the next one is asked for. */
export interface SourceEntry {
  /**
   * As the archive has it, without the ending of what was unpacked, behind the names of archives within the archive; the
   * file's own name where it is no archive.
   */
  readonly name: string
  /** Bytes, as the directory of its archive says; null where no directory says it. */
  readonly size: number | null
  /** Whether it is in an archive of files. */
  readonly isPacked: boolean
  readonly reader: ByteReader
}

/** Archives within archives, and files of all of them. */
const MAX_DEPTH = 3
const MAX_ENTRIES = 100_000
/** Characters of the names of all files, which are kept while a source is read. */
const MAX_NAMES = 16 * 1024 * 1024

/**
 * The files in a source on the disk: itself, or what is in an archive, in whatever way they are packed. What they are is told
 * by their content. Names that lead outside do no harm, because no file is written under its name. A file that cannot be
 * unpacked is among them, and reading it says why; the files behind it follow.
 * @param name of the file, for people
 * @param onRead told how many bytes of the file have been read each time
 * @throws SourceFault when the source is cut off or damaged, after all that could be read; an Error when it cannot be read
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
 * The files in a stream of bytes, for example an archive that comes from a server.
 * @throws SourceFault when it is cut off or damaged, after all that could be read
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

/** The entries under names that can be shown. @throws SourceFault where there are too many, or their names are too long together */
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

/** A file, or an archive, as it was found. */
interface Found {
  readonly name: string
  readonly size: number | null
  readonly bytes: Bytes
  /** Archives that it lies in. */
  readonly depth: number
  /** Whether one of them is more than gzip, which packs a single file. */
  readonly isPacked: boolean
  /** The name of the gzip file of which this is the content: a packed tar archive counts as one archive. */
  readonly gzipName?: string
  /** Of the whole source. */
  readonly bound: ExpansionBound
}

async function* unpack({ name, size, bytes, depth, isPacked, gzipName, bound }: Found): AsyncGenerator<SourceEntry> {
  const reader = new ByteReader(depth === 0 ? bytes : bound.counted(bytes, depth))
  try {
    const beginning = await reader.peek(512)
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

/** How names of files in an archive begin: those of the outermost archive stand for themselves. */
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

/** The files of a zip archive that lies in another archive. */
async function* zipWithin(
  name: string,
  reader: ByteReader,
  depth: number,
  bound: ExpansionBound,
): AsyncGenerator<SourceEntry> {
  const { file, size, fault } = await spool(reader.rest())
  try {
    yield* unpackAll(zipEntries(file, size), within(name, depth), depth + 1, bound)
  } catch (error) {
    // What is wrong with the stream is the cause of what is wrong with the archive.
    throw fault ?? error
  } finally {
    await file.close()
  }
  if (fault !== undefined) throw fault
}

/** An archive that is damaged ends by itself: the files behind it in the archive that holds it follow. */
async function* unpackAll(
  entries: AsyncIterable<ArchiveEntry>,
  before: string,
  depth: number,
  bound: ExpansionBound,
): AsyncGenerator<SourceEntry> {
  for await (const { name, size, content } of entries) {
    const whole = before + name
    try {
      yield* unpack({ name: whole, size, bytes: content, depth, isPacked: true, bound })
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error
      yield { name: whole, size, isPacked: true, reader: new ByteReader(failing(error.notice)) }
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
