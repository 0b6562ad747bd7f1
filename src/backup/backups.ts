import { join, relative } from 'node:path'
import { Cron } from 'croner'
import { type BackupRetention, expiredBackups } from '../backup-retention.ts'
import type { DiskReserve } from '../disk-reserve.ts'
import { ApiError, errors } from '../errors.ts'
import { parseFilesUrl } from '../files-url.ts'
import type { Log } from '../log.ts'
import { BackupHistory, type BackupRun, type BackupTrigger } from './backup-history.ts'
import { checkBackup } from './check-backup.ts'
import { type BackupSource, makeBackup } from './make-backup.ts'
import { backupName, type PartName } from './manifest.ts'
import { endSegment } from './postgres/wal-segments.ts'
import { removeBackup, removeUnfinished, type StoredBackup, storedBackups } from './stored-backups.ts'
import type { BackupTarget } from './targets/backup-target.ts'
import { openTarget } from './targets/open-target.ts'
import { WalArchive, type WalStatus } from './wal/wal-archive.ts'

export interface BackupsOptions {
  readonly source: BackupSource
  /** In the forms of `--files-url`. */
  readonly url: string
  /** null: not encrypted. */
  readonly passphrase: string | null
  /** A cron expression in the time zone of the server; null: only manual backups. */
  readonly schedule: string | null
  readonly retention: BackupRetention
  /** Whether the write-ahead log is archived too. */
  readonly archivesWal: boolean
  readonly reserve: DiskReserve
  readonly log: Log
}

/** The state of backups on this node, for metrics and alerts. Times in milliseconds since 1970. */
export interface BackupStatus {
  readonly running: { readonly name: string; readonly since: number; readonly part: PartName | 'check' } | null
  /** The end of the last backup that succeeded and passed its check. */
  readonly lastSuccess: {
    readonly at: number
    readonly name: string
    readonly bytes: number
    readonly duration: number
  } | null
  /** The last failure; it may be older than the last success. */
  readonly lastFailure: { readonly at: number; readonly name: string; readonly reason: string } | null
  /** null: no schedule. */
  readonly nextRun: number | null
  /** null: the write-ahead log is not archived. */
  readonly wal: WalStatus | null
}

/** A listed backup: one that is stored, or one of this node that failed. */
export interface ListedBackup {
  readonly name: string
  readonly startedAt: Date
  readonly stored: StoredBackup | null
  readonly run: BackupRun | null
}

/** Milliseconds after the start until a missed backup is made up for. */
const MISSED_DELAY_MS = 60_000

interface Running {
  readonly name: string
  readonly since: number
  part: PartName | 'check'
  readonly aborting: AbortController
  readonly ended: Promise<BackupRun>
}

/** Makes backups of this server one at a time, on request and on schedule, checks them and removes expired ones. */
export class Backups {
  readonly #options: BackupsOptions
  readonly #history: BackupHistory
  readonly #log: Log
  readonly #wal: WalArchive | null
  #known: ReadonlyMap<string, StoredBackup> = new Map()
  #running: Running | null = null
  #cron: Cron | null = null
  #missed: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: BackupsOptions) {
    this.#options = options
    this.#log = options.log
    const { source, passphrase, reserve, log } = options
    const { database } = source
    this.#history = new BackupHistory(join(source.data, 'backups.json'))
    this.#wal =
      options.archivesWal && database !== null
        ? new WalArchive({
            openTarget: () => this.#open(),
            installation: source.installation,
            passphrase,
            directory: database.directory,
            endSegment: () => endSegment(database.connection),
            reserve,
            log,
            afterGap: () => this.#runInBackground('wal'),
          })
        : null
  }

  async start(): Promise<void> {
    await this.#history.load()
    await this.#wal?.start()
    const { schedule } = this.#options
    if (schedule !== null) this.#cron = new Cron(schedule, { unref: true }, () => this.#runInBackground('schedule'))
    this.#missed = setTimeout(() => {
      const trigger = this.#missedTrigger()
      if (trigger !== null) this.#runInBackground(trigger)
    }, MISSED_DELAY_MS).unref()
  }

  /** Stops after a running backup has been aborted. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cron?.stop()
    clearTimeout(this.#missed)
    this.#running?.aborting.abort(new Error('The server stopped during the backup.'))
    await this.#running?.ended
    await this.#wal?.stop()
  }

  status(): BackupStatus {
    const { runs } = this.#history
    const success = runs.find(({ state }) => state === 'succeeded')
    const failure = runs.find(({ state }) => state === 'failed')
    const running = this.#running
    return {
      running: running && { name: running.name, since: running.since, part: running.part },
      lastSuccess: success
        ? {
            at: endOf(success),
            name: success.name,
            bytes: success.bytes ?? 0,
            duration: endOf(success) - Date.parse(success.startedAt),
          }
        : null,
      lastFailure: failure ? { at: endOf(failure), name: failure.name, reason: failure.error ?? '' } : null,
      nextRun: this.#cron?.nextRun()?.getTime() ?? null,
      wal: this.#wal?.status ?? null,
    }
  }

  /** Whether backups contain the database. */
  get includesDatabase(): boolean {
    return this.#options.source.database !== null
  }

  /** Whether backups are stored in the data directory, and are lost with it. */
  get isInData(): boolean {
    const { folder } = this
    return folder !== null && !relative(this.#options.source.data, folder).startsWith('..')
  }

  /** The absolute path of the target; null: it is not a folder. */
  get folder(): string | null {
    const location = parseFilesUrl(this.#options.url)
    return location.kind === 'folder' ? location.path : null
  }

  get isEncrypted(): boolean {
    return this.#options.passphrase !== null
  }

  /**
   * Begins a backup, to the configured target if `url` is omitted.
   * @returns its name, and a promise of the run when it has ended; it does not reject
   * @throws ApiError 409 when another backup runs, 400 for an invalid URL
   */
  begin(trigger: BackupTrigger, url?: string): { readonly name: string; readonly ended: Promise<BackupRun> } {
    if (this.#running) throw errors.backupRunning(this.#running.name)
    if (this.#stopped) throw errors.unavailable()
    if (url !== undefined) checkUrl(url)
    const startedAt = this.#freeSecond()
    const name = backupName(startedAt, this.#options.source.installation)
    const aborting = new AbortController()
    const ended = this.#run(name, startedAt, trigger, url, aborting.signal).finally(() => {
      this.#running = null
    })
    this.#running = { name, since: startedAt.getTime(), part: 'server', aborting, ended }
    return { name, ended }
  }

  /**
   * Lists stored and failed backups, newest first.
   * @returns with an error if the target cannot be read; then only the runs of this data directory are known
   */
  async list(): Promise<{
    readonly target: string
    readonly error: string | null
    readonly backups: readonly ListedBackup[]
  }> {
    const target = await this.#open()
    let error: string | null = null
    try {
      const stored = await storedBackups(target, this.#known)
      this.#known = new Map(stored.map((backup) => [backup.name, backup]))
    } catch (failure) {
      error = reasonOf(failure)
    } finally {
      target.close()
    }
    const runs = new Map(this.#history.runs.map((run) => [run.name, run]))
    // A backup that succeeded and is not stored has expired, except the last one, whose target may be another.
    const last = this.#history.runs[0]?.name
    const isShown = ({ name, state }: BackupRun) => state !== 'succeeded' || name === last || this.#known.has(name)
    const names = new Set([...this.#known.keys(), ...[...runs.values()].filter(isShown).map(({ name }) => name)])
    const backups = [...names].map((name): ListedBackup => {
      const [stored, run] = [this.#known.get(name) ?? null, runs.get(name) ?? null]
      return { name, startedAt: stored?.startedAt ?? new Date(run!.startedAt), stored, run }
    })
    backups.sort((one, other) => other.startedAt.getTime() - one.startedAt.getTime())
    return { target: target.description, error, backups }
  }

  /** Returns the current time, or a second later for each backup that began in this second: names have whole seconds. */
  #freeSecond(): Date {
    const { installation } = this.#options.source
    const used = new Set(this.#history.runs.map(({ name }) => name))
    let at = new Date()
    while (used.has(backupName(at, installation))) at = new Date(at.getTime() + 1000)
    return at
  }

  #open(url = this.#options.url): Promise<BackupTarget> {
    return openTarget(url, this.#options.reserve)
  }

  #runInBackground(trigger: BackupTrigger): void {
    if (this.#running || this.#stopped) return
    // A failure is logged and stored by the run.
    void this.begin(trigger).ended
  }

  /** Returns why a backup is overdue; null: none is. */
  #missedTrigger(): BackupTrigger | null {
    const success = this.#history.runs.find(({ state }) => state === 'succeeded')
    if (this.#wal && !success) return 'wal'
    const due = this.#cron?.previousRuns(1)[0]
    return due && success && Date.parse(success.startedAt) < due.getTime() ? 'schedule' : null
  }

  async #run(
    name: string,
    startedAt: Date,
    trigger: BackupTrigger,
    url: string | undefined,
    signal: AbortSignal,
  ): Promise<BackupRun> {
    const begun: BackupRun = {
      name,
      trigger,
      startedAt: startedAt.toISOString(),
      endedAt: null,
      state: 'running',
      error: null,
      bytes: null,
      checked: null,
      skipped: null,
    }
    let run: BackupRun
    try {
      await this.#history.put(begun)
      run = { ...begun, ...(await this.#make(name, startedAt, url, signal)), state: 'succeeded' }
      this.#log.info({ backup: name, bytes: run.bytes, tables: run.checked?.tables }, 'backup finished')
    } catch (error) {
      const reason = reasonOf(signal.aborted ? signal.reason : error)
      run = { ...begun, state: 'failed', error: reason }
      this.#log.error({ backup: name, reason }, 'backup failed')
    }
    run = { ...run, endedAt: new Date().toISOString() }
    await this.#history
      .put(run)
      .catch((error: Error) => this.#log.error({ error }, 'storing the state of a backup failed'))
    return run
  }

  async #make(
    name: string,
    startedAt: Date,
    url: string | undefined,
    signal: AbortSignal,
  ): Promise<Pick<BackupRun, 'bytes' | 'checked' | 'skipped'>> {
    const { source, passphrase, reserve } = this.#options
    const onPart = (part: PartName | 'check') => {
      if (this.#running) this.#running.part = part
    }
    const target = await this.#open(url)
    try {
      await removeUnfinished(target, source.installation)
      const manifest = await makeBackup({ source, target, passphrase, startedAt, signal, reserve, onPart }).catch(
        async (error) => {
          await target.removeFolder(name).catch(() => {})
          throw error
        },
      )
      onPart('check')
      const work = join(source.data, 'backup-check')
      const checked = await checkBackup({ target, name, passphrase, work, signal, log: this.#log, reserve })
      await this.#removeExpired(target, name).catch((error: Error) =>
        this.#log.warn({ error }, 'removing expired backups failed'),
      )
      const bytes = manifest.parts.reduce((sum, part) => sum + part.bytes, 0)
      return { bytes, checked: checked.counted, skipped: checked.skipped }
    } finally {
      target.close()
    }
  }

  /** Removes expired backups of this data directory, and the WAL before the oldest kept one. */
  async #removeExpired(target: BackupTarget, newest: string): Promise<void> {
    const { source, retention } = this.#options
    const failed = new Set(this.#history.runs.filter(({ state }) => state === 'failed').map(({ name }) => name))
    const own = (await storedBackups(target)).filter(({ manifest }) => manifest.installation === source.installation)
    const sound = own.filter(({ name }) => !failed.has(name))
    const expired = new Set(expiredBackups(sound, retention).map(({ name }) => name))
    // A backup that failed its check must not count among those that are kept.
    for (const { name } of own)
      if (name < newest && (expired.has(name) || failed.has(name))) await removeBackup(target, name)
    const oldest = sound.findLast(({ name, manifest }) => !expired.has(name) && manifest.database !== null)
    const database = oldest?.manifest.database
    if (database) await this.#wal?.removeBefore(database.firstSegment, database.segmentBytes, target)
  }
}

function checkUrl(url: string): void {
  try {
    parseFilesUrl(url)
  } catch (error) {
    throw errors.badArgument(
      `'target' must be a URL such as s3://bucket/prefix or file:///mnt/backups: ${(error as Error).message}`,
    )
  }
}

function endOf({ startedAt, endedAt }: BackupRun): number {
  return Date.parse(endedAt ?? startedAt)
}

function reasonOf(error: unknown): string {
  if (error instanceof ApiError && error.status === 503)
    return 'Free disk space is below the reserve of --disk-reserve. Free some space, or store backups elsewhere with --backup-url.'
  return error instanceof Error ? error.message : String(error)
}
