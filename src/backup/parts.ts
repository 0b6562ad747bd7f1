import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type BackupKeys, decrypt, encrypt } from './encryption.ts'
import { type Part, partFile } from './manifest.ts'
import type { BackupTarget } from './targets/backup-target.ts'
import { UnusableBackup } from './unusable-backup.ts'

/** The fastest level: data of a database shrinks to a quarter, and higher levels cost several times the processor time. */
const GZIP_LEVEL = 1

/** Where the parts of one backup are. */
export interface PartLocation {
  readonly target: BackupTarget
  /** The folder of the backup. */
  readonly folder: string
  readonly keys: BackupKeys | null
}

/**
 * Stores a part: compressed if asked for, then encrypted if there are keys. Only chunks of it are in memory.
 * @throws the first error of the content or the target; then the part does not exist at the target
 */
export async function writePart(
  { target, folder, keys }: PartLocation,
  { name, compressed }: Pick<Part, 'name' | 'compressed'>,
  content: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<Part> {
  const file = partFile({ name, compressed }, keys !== null)
  const [inside, stored] = [new Measure(), new Measure()]
  const store = async (bytes: AsyncIterable<Buffer>) => {
    const protectedBytes = keys ? encrypt(bytes, keys, file) : bytes
    await target.write(`${folder}/${file}`, stored.of(protectedBytes))
  }
  const measured = inside.of(content)
  if (compressed) await pipeline(measured, createGzip({ level: GZIP_LEVEL }), store, { signal })
  else await pipeline(measured, store, { signal })
  return { name, compressed, bytes: stored.bytes, sha256: stored.sha256(), contentBytes: inside.bytes }
}

/**
 * Passes the tar archive of a part to `use`, and checks size and sum of the stored file at its end.
 * @throws UnusableBackup; any error of `use`
 */
export async function readPart(
  { target, folder, keys }: PartLocation,
  part: Part,
  use: (archive: AsyncIterable<Buffer>) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const file = partFile(part, keys !== null)
  const stored = new Measure(part.bytes)
  const source = stored.of(await target.read(`${folder}/${file}`))
  const opened = keys ? decrypt(source, keys, file) : source
  try {
    if (part.compressed) await pipeline(opened, createGunzip(), use, { signal })
    else await pipeline(opened, use, { signal })
  } catch (error) {
    if (isOfUnpacking(error)) throw changed(file)
    throw error
  }
  if (stored.bytes !== part.bytes || stored.sha256() !== part.sha256) throw changed(file)
}

function changed(file: string): UnusableBackup {
  return new UnusableBackup(
    `'${file}' of the backup was changed or truncated: its size or its SHA-256 differs from the manifest.`,
  )
}

/** Returns whether an error comes from unpacking bytes rather than from reading them. */
function isOfUnpacking(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

/** Counts and hashes bytes that pass through. */
class Measure {
  readonly #hash = createHash('sha256')
  readonly #max: number
  bytes = 0

  /** @param max bytes after which no more are passed on, because the file is not the expected one */
  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max
  }

  async *of(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of source) {
      this.bytes += chunk.length
      if (this.bytes > this.#max) throw new UnusableBackup('A file of the backup is larger than its manifest says.')
      this.#hash.update(chunk)
      yield chunk
    }
  }

  sha256(): string {
    return this.#hash.digest('hex')
  }
}
