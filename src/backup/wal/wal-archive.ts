import { createReadStream } from 'node:fs'
import { chown, mkdir, readdir, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { DiskReserve } from '../../disk-reserve.ts'
import { ApiError } from '../../errors.ts'
import { recur } from '../../jobs/recurring.ts'
import type { Log } from '../../log.ts'
import { type BackupKeys, deriveKeys, encrypt, newSalt } from '../encryption.ts'
import { WAL_SPOOL } from '../postgres/copied-files.ts'
import { isSegment, numberOf } from '../postgres/wal-segments.ts'
import type { BackupTarget } from '../targets/backup-target.ts'
import { parseWalFile, walFile, walFolder } from './wal-name.ts'

/** Milliseconds between two looks for new segments. */
const INTERVAL_MS = 5_000
/**
 * Milliseconds after which a segment that is not full is ended: at most so much is lost with the machine. PostgreSQL's own
 * `archive_timeout` does not work until the first checkpoint after a start, 15 minutes later.
 */
const MAX_AGE_MS = 60_000

/** While this file exists, PostgreSQL discards WAL instead of passing it on. */
const DISCARD = 'discard'

/** The state of the archive of the write-ahead log. */
export interface WalStatus {
  /** Writes until then are stored at the target; null: none since the start. ISO. */
  readonly archivedUntil: string | null
  /** Bytes that wait for the target. */
  readonly waitingBytes: number
  /** Why the last attempt failed; null: it succeeded. */
  readonly error: string | null
  /** Since when WAL is discarded because the disk is nearly full; null: it is not. ISO. */
  readonly interruptedSince: string | null
}

export interface WalArchiveOptions {
  readonly openTarget: () => Promise<BackupTarget>
  readonly installation: string
  readonly passphrase: string | null
  /** PostgreSQL's data directory. */
  readonly directory: string
  /** Ends the current segment, so that it is archived. */
  readonly endSegment: () => Promise<void>
  readonly reserve: DiskReserve
  readonly log: Log
  /** Called when the archive has a gap and continues after it: a new backup must begin there. */
  readonly afterGap: () => void
}

/**
 * Returns the settings of a PostgreSQL whose WAL is archived. The command works in the data directory, as PostgreSQL's user. It
 * copies each segment to the spool under a temporary name, syncs and renames it, so the spool never contains a partial segment. A
 * repeated call after a crash replaces a segment by the same bytes.
 * @throws Error on Windows, whose shell cannot do this
 */
export function walArchiveSettings(): Record<string, string> {
  if (process.platform === 'win32') throw new Error('--wal-archive is not supported on Windows.')
  const [part, final] = [`${WAL_SPOOL}/%f.part`, `${WAL_SPOOL}/%f`]
  return {
    archive_mode: 'on',
    archive_command: `test -f ${WAL_SPOOL}/${DISCARD} || { mkdir -p ${WAL_SPOOL} && cp "%p" ${part} && sync ${part} && mv ${part} ${final} && sync ${WAL_SPOOL}; }`,
  }
}

/**
 * Moves WAL segments from the spool to the target. While the target fails, segments wait; when they would reach into the disk
 * reserve, they are discarded, because the server needs the disk more: the archive is interrupted until there is space again.
 */
export class WalArchive {
  readonly #options: WalArchiveOptions
  readonly #spool: string
  #end: () => void = () => {}
  #running: Promise<void> = Promise.resolve()
  #target: BackupTarget | undefined
  #switchedAt = 0
  #keys: { readonly salt: string; readonly keys: BackupKeys } | null = null
  #status: WalStatus = { archivedUntil: null, waitingBytes: 0, error: null, interruptedSince: null }

  constructor(options: WalArchiveOptions) {
    this.#options = options
    this.#spool = join(options.directory, WAL_SPOOL)
  }

  get status(): WalStatus {
    return this.#status
  }

  async start(): Promise<void> {
    const { passphrase, log } = this.#options
    if (passphrase !== null) {
      const salt = newSalt()
      this.#keys = { salt, keys: await deriveKeys(passphrase, salt) }
    }
    // A server that was stopped while it discarded WAL has a gap too.
    const since = await stat(join(this.#spool, DISCARD)).catch(() => null)
    if (since) this.#status = { ...this.#status, interruptedSince: since.mtime.toISOString() }
    this.#end = recur(
      () => {
        this.#running = this.#work()
        return this.#running
      },
      {
        delay: 1_000,
        interval: INTERVAL_MS,
        failed: (error) => {
          if (this.#status.error === null) log.error({ error }, 'archiving the write-ahead log failed')
          this.#status = { ...this.#status, error }
        },
      },
    )
  }

  async stop(): Promise<void> {
    this.#end()
    await this.#running.catch(() => {})
    this.#target?.close()
  }

  /** Removes segments before the first that a kept backup needs. */
  async removeBefore(segment: string, segmentBytes: number, target: BackupTarget): Promise<void> {
    const folder = walFolder(this.#options.installation)
    const first = numberOf(segment, segmentBytes)
    for (const file of await target.files(folder)) {
      const found = parseWalFile(file)
      if (found && numberOf(found.segment, segmentBytes) < first) await target.remove(`${folder}/${file}`)
    }
  }

  async #work(): Promise<void> {
    await this.#keepSpace()
    if (this.#status.interruptedSince !== null) return
    if (Date.now() - this.#switchedAt >= MAX_AGE_MS) {
      await this.#options.endSegment()
      this.#switchedAt = Date.now()
    }
    for (const { name, bytes, at } of await this.#waiting()) {
      await this.#store(name, at)
      this.#status = {
        ...this.#status,
        archivedUntil: at.toISOString(),
        waitingBytes: Math.max(0, this.#status.waitingBytes - bytes),
      }
      await this.#keepSpace()
      if (this.#status.interruptedSince !== null) return
    }
    if (this.#status.error !== null) this.#options.log.info({}, 'archiving the write-ahead log works again')
    this.#status = { ...this.#status, error: null, waitingBytes: 0 }
  }

  /** Lists the complete segments in the spool, the oldest first, and removes other files, which a restore does not need. */
  async #waiting() {
    const names = await readdir(this.#spool).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    const found: { name: string; bytes: number; at: Date }[] = []
    for (const name of names.sort()) {
      if (name === DISCARD || name.endsWith('.part')) continue
      const path = join(this.#spool, name)
      if (!isSegment(name)) {
        await rm(path, { force: true })
        continue
      }
      const { size, mtime } = await stat(path)
      found.push({ name, bytes: size, at: mtime })
    }
    this.#status = { ...this.#status, waitingBytes: found.reduce((sum, { bytes }) => sum + bytes, 0) }
    return found
  }

  async #store(segment: string, at: Date): Promise<void> {
    const { installation, openTarget } = this.#options
    this.#target ??= await openTarget()
    const target = this.#target
    const file = walFile(segment, at, this.#keys?.salt ?? null)
    const keys = this.#keys?.keys
    const path = join(this.#spool, segment)
    await pipeline(createReadStream(path), createGzip({ level: 1 }), (bytes: AsyncIterable<Buffer>) =>
      target.write(`${walFolder(installation)}/${file}`, keys ? encrypt(bytes, keys, file) : bytes),
    )
    await unlink(path)
  }

  /** Creates the spool if PostgreSQL has not done so; its user must be able to write there. */
  async #makeSpool(): Promise<void> {
    if ((await mkdir(this.#spool, { recursive: true, mode: 0o700 })) === undefined) return
    const { uid, gid } = await stat(this.#options.directory)
    await chown(this.#spool, uid, gid)
  }

  /** Begins to discard WAL when the disk reserve is reached, and ends it when there is space again. */
  async #keepSpace(): Promise<void> {
    const { directory, reserve, log, afterGap } = this.#options
    const hasSpace = await reserve.check(directory).then(
      () => true,
      (error) => {
        if (error instanceof ApiError) return false
        throw error
      },
    )
    const { interruptedSince } = this.#status
    const discard = join(this.#spool, DISCARD)
    if (!hasSpace && interruptedSince === null) {
      await this.#makeSpool()
      await writeFile(discard, '')
      for (const { name } of await this.#waiting()) await rm(join(this.#spool, name), { force: true })
      this.#status = { ...this.#status, interruptedSince: new Date().toISOString(), waitingBytes: 0 }
      log.error({}, 'free disk space below the reserve, write-ahead log is not archived')
    } else if (hasSpace && interruptedSince !== null) {
      await rm(discard, { force: true })
      this.#status = { ...this.#status, interruptedSince: null }
      log.warn({ since: interruptedSince }, 'write-ahead log is archived again, with a gap: a new backup is needed')
      afterGap()
    }
  }
}
