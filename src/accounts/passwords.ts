import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { errors } from '../errors.ts'
import { ownFile } from '../own-files.ts'
import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import { type Principal, SERVER } from '../scheduling/principal.ts'
import { ARGON2ID, readStoredForm } from './password-forms.ts'

/** 'outdated': the password is right, but stored in a form that a new hash should replace. */
export type PasswordCheck = 'wrong' | 'right' | 'outdated'

/** Maximum number of hashes that wait for a thread. */
const WAITING = { atAddress: 500, ofApp: 1000, inAll: 1500 }
/** Maximum time that a hash waits, in milliseconds. Clients with a shorter timeout disconnect earlier. */
const TIMEOUT_MS = 60_000
/** How long an idle thread is kept, in milliseconds. */
const IDLE_TIME = 30_000
/** Only on Linux does a nice level belong to a thread; elsewhere it would slow down the whole process. */
const NICE_INCREMENT = process.platform === 'linux' ? 10 : 0

/**
 * Hashes and checks passwords in threads of low priority, so that requests are served first. Threads start at the first
 * work, and do not keep the process alive when idle. Work is queued fairly by app, address and user: a client that
 * sends a thousand logins delays only itself.
 *
 * The caller has to limit the length of passwords, for example to 4096 bytes, because the whole password is hashed.
 */
export class Passwords {
  readonly #pool: Piscina<object, unknown>
  readonly #queue: FairSemaphore
  /** Why a thread could not start. */
  #fault: unknown
  #stopped = false

  /** @param options.concurrency number of threads; by default one less than the number of cores, but 1 to 4 */
  constructor({ concurrency = defaultConcurrency() }: { concurrency?: number } = {}) {
    this.#pool = new Piscina({
      filename: ownFile('accounts/password-worker.mjs').href,
      workerData: { argon2id: ARGON2ID },
      minThreads: 0,
      maxThreads: concurrency,
      idleTimeout: IDLE_TIME,
      niceIncrement: NICE_INCREMENT,
      recordTiming: false,
    })
    this.#pool.on('error', (fault) => this.#giveUp(fault))
    this.#queue = new FairSemaphore({ slots: concurrency, waiting: WAITING, timeoutMs: TIMEOUT_MS })
  }

  /**
   * Hashes a password.
   * @param principal charged for the work
   * @returns an argon2id hash in PHC form
   * @throws ApiError 429 when too much of the principal's work waits, or it waits too long; 511 when the queue of all
   *   is full, or after `stop`
   */
  async hash(password: string, principal: Principal = SERVER): Promise<string> {
    return String(await this.#run('hash', { password }, principal))
  }

  /**
   * Compares a password with its stored form: argon2id, bcrypt (which uses only the first 72 bytes of a password), or
   * the form of the hosted service (`storedFormOf`). Any other form is 'wrong'.
   * @param stored null for a user without a password: takes as long as a wrong password and returns 'wrong'
   * @throws ApiError as `hash`
   */
  async check(password: string, stored: string | null, principal: Principal = SERVER): Promise<PasswordCheck> {
    const form = stored === null ? null : readStoredForm(stored)
    const right = (await this.#run('matches', { password, form }, principal)) === true
    if (!right) return 'wrong'
    return form?.outdated ? 'outdated' : 'right'
  }

  /** Ends the threads. Work in progress and in the queue fails with ApiError 511. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#pool.destroy()
  }

  async #run(name: 'hash' | 'matches', task: object, principal: Principal): Promise<unknown> {
    if (this.#stopped) throw errors.unavailable()
    const wait = this.#queue.acquire(principal)
    if (wait) await wait
    try {
      if (this.#stopped) throw errors.unavailable()
      return await this.#pool.run(task, { name })
    } catch (error) {
      throw this.#stopped ? errors.unavailable() : (this.#fault ?? error)
    } finally {
      this.#queue.release(principal)
    }
  }

  /** Ends the pool after a thread failed to start, because queued work would otherwise wait forever. */
  #giveUp(fault: unknown): void {
    this.#fault = fault
    void this.#pool.destroy()
  }
}

/** Leaves one core to the event loop. */
function defaultConcurrency(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1))
}
