import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Database, Executor } from '../database/pool.ts'
import { type DiskReserve, NO_RESERVE } from '../disk-reserve.ts'
import { ApiError, errors } from '../errors.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { isMailAddress } from '../mail/address.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Message } from '../mail/message.ts'
import type { RunningApp, RunningApps } from '../running-app/running-app.ts'
import { newObjectId } from '../values/names.ts'
import { isSameSecret, newSecret } from '../values/secrets.ts'
import { removeArchive, writeArchive } from './archive.ts'
import { atOneMoment, filesOf } from './contents.ts'
import type { ExportRequest } from './export-request.ts'
import {
  countExports,
  deleteExport,
  type EndedExport,
  type ExportKey,
  type ExportState,
  endExport,
  findExport,
  insertExport,
} from './export-table.ts'
import { failedNotice, finishedNotice } from './notices.ts'

export interface ExportsOptions {
  readonly database: Database
  readonly running: RunningApps
  readonly jobs: Jobs
  readonly mailer: Mailer
  /** The directory of archives. Multiple nodes must share it. */
  readonly directory: string
  /** Keeps disk space free; without it, no space is reserved. */
  readonly reserve?: DiskReserve
  /** Days for which a finished export can be downloaded; default 7. */
  readonly keepDays?: number
}

/** An archive to download; `size` in bytes. */
export interface Download {
  readonly path: string
  readonly size: number
  readonly name: string
}

const DAY = 86_400_000
/**
 * Maximum exports of an app that wait or run, and maximum including the finished ones. Hourly exports kept for 7 days fit (168).
 */
const MAX_RUNNING = 10
const MAX_EXPORTS = 200
/** Seconds after which a running export may have ended. */
const RETRY_AFTER = 60
const FAILURE = 'The export could not be finished. Please start it again.'

/** Exports of apps: created in the background, announced by mail, kept for some days (protocol/storage, Export). */
export class Exports {
  readonly #options: ExportsOptions
  readonly #keepDays: number
  readonly #reserve: DiskReserve

  constructor(options: ExportsOptions) {
    this.#options = options
    this.#keepDays = options.keepDays ?? 7
    this.#reserve = options.reserve ?? NO_RESERVE
    options.jobs.handle<ExportKey>('export', {
      maxAttempts: 3,
      run: (key, signal) => this.#run(key, signal),
      failed: (key, error) => this.#fail(key, error),
    })
    options.jobs.handle<ExportKey>('export-expiry', { maxAttempts: 10, run: (key) => this.#expire(key) })
  }

  /**
   * Starts an export. When it has ended, a mail is sent to the requested address, otherwise to the owner of the app.
   * @param mailUrl returns the base URL of the link in that mail; it must not depend on what a caller sends
   * @throws ApiError 1 when a requested class does not exist; 429 when the app has too many exports; 503 when the disk has too
   *   little space
   */
  async start(app: RunningApp, request: ExportRequest, mailUrl: () => string): Promise<ExportState> {
    for (const name of request.classes ?? []) await checkClass(app, name)
    const { database, jobs, directory } = this.#options
    await this.#reserve.check(directory)
    const { ownerEmail } = app.record
    const key: ExportKey = { appId: app.id, id: newObjectId() }
    const email = request.email ?? (isMailAddress(ownerEmail) ? ownerEmail : null)
    await database.transaction(async (transaction) => {
      await this.#checkCount(transaction, app.id)
      await insertExport(transaction, key, { ...request, email, baseUrl: email === null ? '' : mailUrl() })
      await jobs.enqueue('export', key, { transaction })
    })
    return { ...key, status: 'running' }
  }

  /**
   * Checks that an app may start another export. Other starts wait until the transaction ends.
   * @throws ApiError 429
   */
  async #checkCount(transaction: Executor, appId: string): Promise<void> {
    const { running, all } = await countExports(transaction, appId)
    if (running >= MAX_RUNNING)
      throw errors.tooManyRequests(
        `${MAX_RUNNING} exports of this app are running; wait until one has finished.`,
        RETRY_AFTER,
      )
    if (all >= MAX_EXPORTS)
      throw errors.tooManyRequests(
        `This app has ${MAX_EXPORTS} exports, which are kept for ${this.#keepDays} days; wait until the oldest is removed.`,
      )
  }

  /** @throws ApiError with status 404 when the app does not have the export, or it was removed */
  async status(appId: string, id: string): Promise<ExportState> {
    const found = await findExport(this.#databaseOf(appId), { appId, id })
    if (!found) throw errors.notFound(`Export '${id.slice(0, 60)}' not found.`)
    return found.state
  }

  /**
   * Returns the archive of a finished export, if the secret is right.
   * @throws ApiError with status 404, the same error for each cause
   */
  async openDownload(appId: string, id: string, secret: string): Promise<Download> {
    const app = await this.#options.running.open(appId)
    const found = app && (await findExport(this.#databaseOf(app.id), { appId: app.id, id }))
    if (found?.state.status === 'done' && isSameSecret(secret, found.state.secret)) {
      const path = this.#path(found.state)
      const file = await stat(path).catch(() => null)
      if (file) return { path, size: file.size, name: archiveName(found.state) }
    }
    throw errors.notFound('Download not found or expired.')
  }

  /** Removes the archives of a removed app. */
  async forgetApp(appId: string): Promise<void> {
    await rm(join(this.#options.directory, appId), { recursive: true, force: true })
  }

  async #run(key: ExportKey, signal: AbortSignal): Promise<void> {
    const { database, running } = this.#options
    const path = this.#path(key)
    const app = await running.open(key.appId)
    const found = app && (await findExport(this.#databaseOf(key.appId), key))
    if (!app || !found) return removeArchive(path)
    if (found.state.status !== 'running') return
    const { request } = found
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await atOneMoment(database, signal, (client) =>
      writeArchive(path, filesOf(app.objects, client, request), signal, this.#reserve),
    )
    const done = { ...key, status: 'done', secret: newSecret() } as const
    const link = downloadLink(request.baseUrl, done)
    await this.#end(
      done,
      request.email === null ? null : finishedNotice(request.email, key.appId, link, this.#keepDays),
    )
  }

  async #fail(key: ExportKey, reason: unknown): Promise<void> {
    const found = await findExport(this.#databaseOf(key.appId), key)
    if (!found) return
    const { email } = found.request
    await this.#end(
      { ...key, status: 'failed', error: reason instanceof ApiError ? reason.message : FAILURE },
      email === null ? null : failedNotice(email, key.appId),
    )
  }

  /** Stores the end of an export, its mail and its scheduled removal in one transaction. */
  async #end(state: EndedExport, notice: Message | null): Promise<void> {
    const { database, jobs, mailer } = this.#options
    await database.transaction(async (transaction) => {
      if (!(await endExport(transaction, state))) return
      const key: ExportKey = { appId: state.appId, id: state.id }
      const runAt = new Date(Date.now() + this.#keepDays * DAY)
      await jobs.enqueue('export-expiry', key, { runAt, transaction })
      if (notice) await mailer.send({ ...notice, appId: state.appId }, transaction)
    })
  }

  /** Removes an export whose retention has ended, even if its app was removed meanwhile. */
  async #expire(key: ExportKey): Promise<void> {
    await removeArchive(this.#path(key))
    await deleteExport(this.#databaseOf(key.appId), key)
  }

  /** Returns the database with the app as the principal: the records are in its tables. */
  #databaseOf(appId: string): Database {
    return this.#options.database.forApp(appId)
  }

  /** Returns the path of an archive. Both ids are safe in a path because they come from stored records. */
  #path(key: ExportKey): string {
    return join(this.#options.directory, key.appId, archiveName(key))
  }
}

/** Returns the download URL of a finished export. It ends with the file name, under which clients save the archive. */
export function downloadLink(baseUrl: string, done: ExportKey & { readonly secret: string }): string {
  return `${baseUrl}/1.1/exportData/${done.appId}/${done.secret}/${archiveName(done)}`
}

function archiveName({ id }: ExportKey): string {
  return `${id}.tar.gz`
}

async function checkClass(app: RunningApp, name: string): Promise<void> {
  await app.objects.classes.find(name).catch((error) => {
    throw error instanceof ApiError ? errors.badArgument(`'classes' contains '${name}', which does not exist.`) : error
  })
}
