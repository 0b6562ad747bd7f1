import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { ByteReader, type Bytes } from './byte-reader.ts'
import { gunzip } from './gunzip.ts'
import { SourceFault } from './source-fault.ts'
import { type ArchiveEntry, isTar, tarEntries } from './tar.ts'
import { isZip, zipEntries } from './zip.ts'

/** A file with records in it, unpacked. It can be read once, before the next one is asked for. */
export interface SourceEntry {
  /** As the archive has it, without the ending of what was unpacked; the file's own name where it is no archive. */
  readonly name: string
  readonly reader: ByteReader
}

/** Archives within archives, and files of all of them. */
const MAX_DEPTH = 3
const MAX_ENTRIES = 100_000

/**
 * The files in a source on the disk: itself, or what is in an archive, in whatever way they are packed. What they are is told
 * by their content. Nothing is written to the disk, so names that lead outside do no harm.
 * @param name of the file, for people
 * @param onRead told how many bytes of the file have been read each time
 * @throws SourceFault when the source is cut off or damaged, after all that came before; an Error when it cannot be read
 */
export async function* sourceEntries(
  path: string,
  name: string,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<SourceEntry> {
  let count = 0
  const entries = isZip(await beginningOf(path))
    ? unpackAll(zipEntries(path), 1)
    : unpack(name, fileBytes(path, onRead), 0)
  for await (const entry of entries) {
    if (++count > MAX_ENTRIES) throw new SourceFault(`an archive may hold ${MAX_ENTRIES} files`)
    yield entry
  }
}

/**
 * The files in a stream of bytes, for example an archive that comes from a server; no zip archives.
 * @throws SourceFault when it is cut off or damaged, after all that came before
 */
export function streamEntries(name: string, bytes: Bytes): AsyncGenerator<SourceEntry> {
  return unpack(name, bytes, 0)
}

async function* unpack(name: string, bytes: Bytes, depth: number): AsyncGenerator<SourceEntry> {
  const reader = new ByteReader(bytes)
  const beginning = await reader.peek(512)
  const isGzip = beginning.length > 2 && beginning[0] === 0x1f && beginning[1] === 0x8b
  const isArchive = isGzip || isTar(beginning) || isZip(beginning)
  if (isArchive && depth >= MAX_DEPTH)
    throw new SourceFault(`${name}: archives may lie in each other ${MAX_DEPTH} deep`)
  try {
    yield* unpacked()
  } finally {
    await reader.close()
  }

  async function* unpacked(): AsyncGenerator<SourceEntry> {
    if (isGzip) yield* unpack(name.replace(/\.t?gz$/i, ''), gunzip(reader.rest()), depth + 1)
    else if (isTar(beginning)) yield* unpackAll(tarEntries(reader.rest()), depth + 1)
    else if (isZip(beginning))
      throw new SourceFault(`${name}: unpack this zip archive first, it lies in another archive`)
    else yield { name, reader }
  }
}

async function* unpackAll(entries: AsyncIterable<ArchiveEntry>, depth: number): AsyncGenerator<SourceEntry> {
  for await (const { name, content } of entries) yield* unpack(name, content, depth)
}

async function* fileBytes(path: string, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const piece of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    onRead(piece.length)
    yield piece
  }
}

async function beginningOf(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
