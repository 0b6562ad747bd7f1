import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack as createPack } from 'tar-stream'
import { type DiskReserve, NO_RESERVE } from '../disk-reserve.ts'

/** A file of the archive: its name and its content in chunks. */
export interface ArchiveFile {
  readonly name: string
  readonly content: AsyncIterable<string> | Iterable<string>
  /** Omitted when its content is empty. */
  readonly optional?: boolean
}

/**
 * Writes a gzipped tar archive file by file, with only chunks of them in memory. A tar header contains the size of the file, so
 * each file is first written to disk, into `<path>.tmp/`. The archive appears at `path` when it is complete and synced to disk.
 * Leftovers of an earlier attempt are removed.
 * @throws ApiError 503 when the disk has too little space; when `signal` aborts; any error of reading `files` or writing. Then
 *   nothing is left on disk
 */
export async function writeArchive(
  path: string,
  files: AsyncIterable<ArchiveFile>,
  signal: AbortSignal,
  reserve: DiskReserve = NO_RESERVE,
): Promise<void> {
  const directory = temporaryDirectory(path)
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true, mode: 0o700 })
  try {
    const archive = join(directory, 'archive')
    await packFiles(archive, files, signal, reserve)
    await rename(archive, path)
    await syncDirectory(dirname(path))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Removes an archive and the temporary files of an unfinished one. */
export async function removeArchive(path: string): Promise<void> {
  await rm(temporaryDirectory(path), { recursive: true, force: true })
  await rm(path, { force: true })
}

function temporaryDirectory(path: string): string {
  return `${path}.tmp`
}

async function packFiles(
  archive: string,
  files: AsyncIterable<ArchiveFile>,
  signal: AbortSignal,
  reserve: DiskReserve,
): Promise<void> {
  const folder = dirname(archive)
  const guarded = (bytes: AsyncIterable<Buffer>) => reserve.guard(folder, bytes)
  const pack = createPack()
  const written = pipeline(pack, createGzip(), guarded, createWriteStream(archive, { mode: 0o600, flush: true }), {
    signal,
  })
  const added = addFiles(pack, folder, files, signal, reserve).catch((error) => {
    pack.destroy(error)
    throw error
  })
  // The first failure ends the other stream too, and its error tells the cause.
  await Promise.all([added, written]).catch(async (error) => {
    await Promise.allSettled([added, written])
    throw error
  })
}

async function addFiles(
  pack: ReturnType<typeof createPack>,
  directory: string,
  files: AsyncIterable<ArchiveFile>,
  signal: AbortSignal,
  reserve: DiskReserve,
): Promise<void> {
  const part = join(directory, 'part')
  for await (const { name, content, optional } of files) {
    await pipeline(reserve.guard(directory, content), createWriteStream(part, { mode: 0o600 }), { signal })
    const { size, mtime } = await stat(part)
    if (size > 0 || !optional) await pipeline(createReadStream(part), pack.entry({ name, size, mtime }), { signal })
  }
  pack.finalize()
}

/** Syncs a directory, so that the new name of a file survives a power failure. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
