import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Database } from '../database/pool.ts'
import type { DiskReserve } from '../disk-reserve.ts'
import { errors } from '../errors.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { recur } from '../jobs/recurring.ts'
import type { Log } from '../log.ts'
import { inEnglish } from '../notices/in-english.ts'
import { type Notice, notice } from '../notices/notice.ts'
import { NoticedError, noticeOf } from '../notices/noticed-error.ts'
import { newObjectId } from '../values/names.ts'
import { checkSource, sourceFault } from './check-source.ts'
import { commandOf, DIFFERENCES } from './command-of.ts'
import {
  type Action,
  filesOf,
  type Move,
  type MoveOptions,
  type MoveSource,
  type Outcome,
  type Result,
} from './move.ts'
import { MoveFiles } from './move-files.ts'
import type { MoveReport } from './move-report.ts'
import {
  deleteMove,
  findMove,
  insertMove,
  listMoves,
  movesInUse,
  noteBegun,
  type StoredMove,
  setAction,
  setOutcome,
  setProgress,
  setUntil,
} from './moves-table.ts'
import { ALLOWED_VARIABLE, type CommandEnd, RESERVE_VARIABLE, runCommand } from './run-command.ts'
import { ThrottledProgress } from './throttled-progress.ts'

export interface MovesOptions {
  readonly database: Database
  readonly jobs: Jobs
  /** The folder of the files of moves. */
  readonly directory: string
  /** Identifies the node for as long as its data directory exists. */
  readonly node: string
  /** The URL of this server, for the commands that it runs. */
  readonly url: () => string
  readonly adminToken: string
  readonly reserve: DiskReserve
  /** Ranges of private addresses that moves may reach (`--allow-private-addresses`). */
  readonly allowed: readonly string[]
  readonly log: Log
}

const MAX_MOVES = 30
/** Exit code of a command that rejected records or found differences. */
const INCOMPLETE = 3
/** Days for which files and keys are kept after the last change of a move. */
const RETENTION_DAYS = 7
const SWEEP = { delay: 60_000, interval: 3_600_000 } as const
/** Maximum runs of a command that ends without an error message, for example because it ran out of memory. */
const MAX_ATTEMPTS = 5
/** Abort reason of a command that is restarted immediately with other options. */
const RESTART = new Error('the options have changed')

interface MoveJob {
  readonly appId: string
  readonly moveId: string
}

/**
 * Moves into apps that are started in the console. The commands of the command line do the work, as child processes of the node
 * that stores the files. They resume where they stopped, so their jobs can be restarted any number of times.
 */
export class Moves {
  readonly #options: MovesOptions
  readonly #files: MoveFiles
  readonly #running = new Map<string, AbortController>()
  readonly #stopSweeping: () => void

  constructor(options: MovesOptions) {
    const { jobs, directory, reserve, log, database, node } = options
    this.#options = options
    this.#files = new MoveFiles(directory, reserve)
    jobs.handle<MoveJob>(this.#jobKind, {
      maxAttempts: MAX_ATTEMPTS,
      run: (job, signal) => this.#run(job, signal),
      failed: (job, error) => this.#giveUp(job, error),
    })
    this.#stopSweeping = recur(async () => this.#files.keepOnly(await movesInUse(database, node, RETENTION_DAYS)), {
      ...SWEEP,
      failed: (reason) => log.warn({ reason }, 'removing files of old imports and exports failed'),
    })
  }

  stop(): void {
    this.#stopSweeping()
  }

  /** @returns the moves of the app, newest first, without their reports */
  async list(appId: string): Promise<Move[]> {
    const moves = await listMoves(this.#options.database, appId)
    return Promise.all(moves.map((move) => this.#shown({ ...move, outcomes: withoutReports(move.outcomes) })))
  }

  /** @throws ApiError 101 */
  async find(appId: string, id: string): Promise<Move> {
    return this.#shown(await this.#stored(appId, id))
  }

  /**
   * @param secret the master key of a running source app.
   * @throws ApiError 1; 503 when the disk has too little space for the files
   */
  async create(appId: string, source: MoveSource, secret: string | null): Promise<Move> {
    const { database, node } = this.#options
    if ((await listMoves(database, appId)).length >= MAX_MOVES)
      throw errors.badArgument(`The app has reached its maximum of ${MAX_MOVES} imports and exports. Delete old ones.`)
    const files = filesOf(source)
    if (files.length > 0) await this.#files.checkSpace(files.reduce((sum, { size }) => sum + size, 0))
    const id = newObjectId()
    await insertMove(database, { id, appId, node, source, secret })
    return this.find(appId, id)
  }

  /** Receives a piece of a file. @returns bytes of the file that are stored. @throws ApiError 1, 101, 503 */
  async receive(appId: string, id: string, name: string, offset: number, bytes: Readable): Promise<number> {
    const { source } = this.#here(await this.#stored(appId, id))
    const file = filesOf(source).find((one) => one.name === name)
    if (!file) throw errors.notFound(`The import or export has no file '${name.slice(0, 200)}'.`)
    return this.#files.addPiece(id, file, offset, bytes)
  }

  /** Starts or resumes an action. @throws ApiError 1, 101 */
  async begin(appId: string, id: string, action: Action, options: MoveOptions, secret: string | null): Promise<Move> {
    const { database, jobs } = this.#options
    const move = this.#here(await this.#stored(appId, id))
    await this.#checkSource(move, options, secret)
    await database.transaction(async (transaction) => {
      if (!(await setAction(transaction, id, action, options, secret)))
        throw errors.badArgument('Another import or export is running. Wait for it to finish or stop it.')
      await jobs.enqueue(this.#jobKind, { appId, moveId: id } satisfies MoveJob, { transaction })
    })
    return this.find(appId, id)
  }

  /** Stops the running action. Transferred data is kept, and the action can be resumed. @throws ApiError 101 */
  async halt(appId: string, id: string): Promise<Move> {
    const move = this.#here(await this.#stored(appId, id))
    if (move.action) {
      await setOutcome(this.#options.database, id, move.action, this.#outcome('stopped', '', false))
      this.#running.get(id)?.abort()
    }
    return this.find(appId, id)
  }

  /**
   * Ends following: pulls the latest changes and removes the objects that were deleted at the source.
   * @throws ApiError 1, 101
   */
  async finish(appId: string, id: string): Promise<Move> {
    this.#here(await this.#stored(appId, id))
    if (!(await setUntil(this.#options.database, id, new Date().toISOString())))
      throw errors.badArgument('No source is being followed. Start a pull with the option follow.')
    this.#running.get(id)?.abort(RESTART)
    return this.find(appId, id)
  }

  /** Removes a move and its files. Transferred data is kept. @throws ApiError 101 */
  async remove(appId: string, id: string): Promise<void> {
    await this.halt(appId, id)
    await deleteMove(this.#options.database, id)
    await this.#files.remove(id)
  }

  /** Returns rejected records, or the differences of a comparison, as JSON Lines. @throws ApiError 101 */
  async rejected(appId: string, id: string, action: Action) {
    this.#here(await this.#stored(appId, id))
    const file = await this.#files.open(this.#rejectedPath(id, action))
    if (!file) throw errors.notFound('File not found. Files are removed after a week.')
    return file
  }

  get #jobKind(): string {
    return `move on ${this.#options.node}`
  }

  async #run({ appId, moveId }: MoveJob, signal: AbortSignal): Promise<void> {
    for (;;) {
      // Registered before the move is read, so that a change or halt in between aborts this run.
      const halted = new AbortController()
      this.#running.set(moveId, halted)
      try {
        await this.#runOnce(appId, moveId, AbortSignal.any([signal, halted.signal]))
      } finally {
        this.#running.delete(moveId)
      }
      signal.throwIfAborted()
      if (halted.signal.reason !== RESTART) return
    }
  }

  async #runOnce(appId: string, moveId: string, signal: AbortSignal): Promise<void> {
    const { database, url, adminToken, allowed, reserve, log } = this.#options
    const move = await findMove(database, appId, moveId)
    if (!move?.action) return
    const { action, source, secret } = move
    const before = await noteBegun(database, moveId)
    const report = await this.#files.openReport(moveId, action)
    const paths = filesOf(source).map((file) => this.#files.pathOf(moveId, file))
    // After a crash the action resumes where it stopped.
    const options = { ...move.options, again: move.options.again && before === 0 }
    const progressWriter = new ThrottledProgress(
      (progress) => setProgress(database, moveId, progress),
      (error) => log.debug({ error: error.message }, 'storing import or export progress failed'),
    )
    try {
      const end = await runCommand(
        commandOf({ source, action, options, paths, appId, url: url(), report }),
        {
          HOMEPORT_ADMIN_TOKEN: adminToken,
          [ALLOWED_VARIABLE]: allowed.join(','),
          [RESERVE_VARIABLE]: reserve.toString(),
          ...(secret !== null && { HOMEPORT_SOURCE_MASTER_KEY: secret }),
        },
        signal,
        (progress) => progressWriter.note(progress),
      )
      if (signal.aborted) return
      if (end.code === null) throw new NoticedError(notice('commandEndedBySignal'))
      await setOutcome(database, moveId, action, await this.#outcomeOf(moveId, action, end))
    } finally {
      progressWriter.stop()
    }
  }

  async #giveUp({ appId, moveId }: MoveJob, error: unknown): Promise<void> {
    const { database } = this.#options
    const move = await findMove(database, appId, moveId)
    const failure = noticeOf(error)
    const outcome = this.#outcome('failed', inEnglish(failure), false, null, failure)
    if (move?.action) await setOutcome(database, moveId, move.action, outcome)
  }

  async #outcomeOf(moveId: string, action: Action, { code, text, report, failure }: CommandEnd): Promise<Outcome> {
    const results: { readonly [code: number]: Result } = { 0: 'complete', [INCOMPLETE]: 'incomplete' }
    const rejected = await this.#files.open(this.#rejectedPath(moveId, action))
    rejected?.bytes.destroy()
    return this.#outcome(
      results[code!] ?? 'failed',
      withoutPaths(text, this.#files.reportOf(moveId, action)),
      code === INCOMPLETE && rejected !== null,
      report,
      failure && noticeWithoutPaths(failure, this.#files.reportOf(moveId, action)),
    )
  }

  #outcome(
    result: Result,
    text: string,
    hasRejected: boolean,
    report: MoveReport | null = null,
    failure: Notice | null = null,
  ): Outcome {
    return { result, text, report, failure, hasRejected, at: new Date().toISOString() }
  }

  #rejectedPath(id: string, action: Action): string {
    return join(this.#files.reportOf(id, action), action === 'verify' ? DIFFERENCES : 'rejected.jsonl')
  }

  async #checkSource({ id, source, secret: known }: StoredMove, options: MoveOptions, secret: string | null) {
    if (source.kind === 'app' && known === null && secret === null)
      throw errors.badArgument("'masterKey' of the source is missing.")
    const key = secret ?? known
    if (source.kind === 'app' && key !== null) {
      const fault = sourceFault(source.url, await checkSource(source.url, source.appId, key))
      if (fault !== null) throw errors.badArgument(fault)
    }
    if (source.kind === 'app' && options.passwords === false) return
    const files = filesOf(source)
    const received = await this.#files.received(id, files)
    const missing = files.find(({ size }, n) => received[n] !== size)
    if (missing) throw errors.badArgument(`The file '${missing.name}' is not complete yet.`)
  }

  async #stored(appId: string, id: string): Promise<StoredMove> {
    const move = await findMove(this.#options.database, appId, id)
    if (!move) throw errors.notFound('Import or export not found.')
    return move
  }

  /** @throws ApiError 1 when the files of the move are on another node */
  #here(move: StoredMove): StoredMove {
    if (move.node === this.#options.node) return move
    throw errors.badArgument(
      'The files of this import or export are stored on another node. Send the request to that node.',
    )
  }

  async #shown({ node, secret, begun, appId, ...move }: StoredMove): Promise<Move> {
    const files = filesOf(move.source)
    const isHere = node === this.#options.node && files.length > 0
    return {
      ...move,
      hasKey: secret !== null,
      received: isHere ? await this.#files.received(move.id, files) : null,
    }
  }
}

/** Removes the paths of server files from a text. */
function withoutPaths(text: string, report: string): string {
  const folder = report.slice(0, report.lastIndexOf('/'))
  return text
    .replaceAll(`\n\nReport written to ${report}.`, '')
    .replaceAll(`${folder}/files/`, '')
    .replaceAll(`${folder}/`, '')
}

/** Removes the paths of server files from the values of a notice. */
function noticeWithoutPaths(notice: Notice, report: string): Notice {
  return JSON.parse(
    JSON.stringify(notice, (_, value: unknown) => (typeof value === 'string' ? withoutPaths(value, report) : value)),
  ) as Notice
}

function withoutReports(outcomes: Move['outcomes']): Move['outcomes'] {
  return Object.fromEntries(
    Object.entries(outcomes).map(([action, one]) => [action, { ...one, report: null, failure: null }]),
  )
}
