import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack as createPack, extract } from 'tar-stream'
import { UnusableBackup } from './unusable-backup.ts'

/** A file or folder of an archive. Paths have slashes on every system. */
export type TarEntry =
  | { readonly kind: 'folder'; readonly name: string }
  | {
      readonly kind: 'file'
      readonly name: string
      readonly size: number
      content(): AsyncIterable<Buffer> | Iterable<Buffer>
    }

/** Bytes read from a file at a time. */
const CHUNK_BYTES = 256 * 1024

/** Yields the bytes of a tar archive. Entries are requested one after the other, when the previous one has been consumed. */
export async function* packEntries(entries: AsyncIterable<TarEntry>): AsyncGenerator<Buffer, void, undefined> {
  const pack = createPack()
  const added = addAll(pack, entries).catch((error: Error) => pack.destroy(error))
  try {
    for await (const chunk of pack) yield chunk as Buffer
  } finally {
    pack.destroy()
    await added
  }
}

async function addAll(pack: ReturnType<typeof createPack>, entries: AsyncIterable<TarEntry>): Promise<void> {
  for await (const entry of entries) {
    if (pack.destroyed) return
    if (entry.kind === 'folder') pack.entry({ name: entry.name, type: 'directory', mode: 0o700 })
    else {
      const header = { name: entry.name, size: entry.size, mode: 0o600 }
      await pipeline(Readable.from(entry.content()), pack.entry(header))
    }
  }
  pack.finalize()
}

/** Returns an entry with a text or bytes. */
export function entryOf(name: string, content: string | Buffer): TarEntry {
  const bytes = Buffer.from(content)
  return { kind: 'file', name, size: bytes.length, content: () => [bytes] }
}

/**
 * Passes a file to `use` as an entry, with the size it has now. A file that grows is cut there, and one that shrinks is filled
 * with zeros, as `pg_basebackup` does. Does nothing if the file does not exist (any more), or is not a plain file.
 */
export async function* fileEntry(path: string, name: string): AsyncGenerator<TarEntry, void, undefined> {
  let file: FileHandle
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return
    throw error
  }
  try {
    const found = await file.stat()
    if (found.isFile()) yield { kind: 'file', name, size: found.size, content: () => exactly(file, found.size) }
  } finally {
    await file.close()
  }
}

async function* exactly(file: FileHandle, size: number): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; position < size; ) {
    const wanted = Math.min(CHUNK_BYTES, size - position)
    // A new buffer each time: the previous one may still be on its way to the target.
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, position)
    if (bytesRead === 0) buffer.fill(0)
    const chunk = bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead)
    position += chunk.length
    yield chunk
  }
}

export interface UnpackOptions {
  /** The names that entries may begin with. */
  readonly roots: readonly string[]
  /** Counts bytes before they are written. @throws any error, which ends the unpacking */
  readonly take?: (bytes: number) => Promise<void>
  /** Whether a file that exists already, in this or an earlier archive, is skipped: both have the same content. */
  readonly skipExisting?: boolean
  /** Whether each file is synced to disk. PostgreSQL syncs the files of its data directory itself. */
  readonly sync?: boolean
  /** Maximum bytes of content. */
  readonly max: number
}

/**
 * Unpacks an archive below a folder. Only plain files and folders are accepted, with names that stay below the folder; files are
 * never written through a link or over another file.
 * @throws UnusableBackup for any other archive
 */
export async function unpackEntries(
  archive: AsyncIterable<Buffer>,
  folder: string,
  options: UnpackOptions,
): Promise<void> {
  const unpack = extract()
  const fed = pipeline(Readable.from(archive), unpack)
  // The loop below throws the same error.
  fed.catch(() => {})
  let bytes = 0
  try {
    for await (const entry of unpack) {
      const { name, type, size = 0 } = entry.header
      const path = join(folder, ...safePath(name, options.roots))
      bytes += size
      if (bytes > options.max) throw new UnusableBackup('An archive of the backup is larger than its manifest says.')
      if (type === 'directory') await mkdir(path, { recursive: true, mode: 0o700 })
      else if (type === 'file') await writeEntry(entry as AsyncIterable<Buffer>, path, name, options)
      else throw new UnusableBackup(`The backup contains '${shown(name)}', which is neither a file nor a folder.`)
      entry.resume()
    }
  } catch (error) {
    unpack.destroy()
    await fed.catch(() => {})
    throw error instanceof Error && /^(Invalid tar header|Unexpected end of data)/.test(error.message)
      ? new UnusableBackup('An archive of the backup is damaged.')
      : error
  }
  await fed
}

async function writeEntry(
  content: AsyncIterable<Buffer>,
  path: string,
  name: string,
  { take, skipExisting, sync }: UnpackOptions,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  if (skipExisting && (await isFile(path))) {
    for await (const _ of content);
    return
  }
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new UnusableBackup(`The backup contains '${shown(name)}' twice.`)
    throw error
  })
  try {
    for await (const chunk of content) {
      await take?.(chunk.length)
      await file.writeFile(chunk)
    }
    if (sync) await file.sync()
  } finally {
    await file.close()
  }
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

/** Returns the segments of a name in an archive. @throws UnusableBackup when it could lead out of the folder */
function safePath(name: string, roots: readonly string[]): string[] {
  const segments = name.replace(/\/$/, '').split('/')
  const isSafe = segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  if (!isSafe || !roots.includes(segments[0]!) || name.includes('\\') || name.includes('\0') || name.includes(':'))
    throw new UnusableBackup(`The backup contains the path '${shown(name)}', which is not allowed.`)
  return segments
}

function shown(name: string): string {
  return name.slice(0, 100)
}
