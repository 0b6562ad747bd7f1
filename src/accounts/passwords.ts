import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { errors } from '../errors.ts'
import { ownFile } from '../own-files.ts'
import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import { type Principal, SERVER } from '../scheduling/principal.ts'
import { ARGON2ID, readStoredForm } from './password-forms.ts'

/** 'outdated': it is the password, but stored in a form that a new hash should replace. */
export type PasswordCheck = 'wrong' | 'right' | 'outdated'

/** How many hashes may wait for a thread. */
const WAITING = { atAddress: 500, ofApp: 1000, inAll: 1500 }
/** How long one waits at most, in milliseconds. Clients that have no such patience leave. */
const TIMEOUT_MS = 60_000
/** How long a thread without work stays, in milliseconds. */
const IDLE_TIME = 30_000
/** Only on Linux does a nice level belong to a thread; elsewhere it would slow down the whole process. */
const NICE_INCREMENT = process.platform === 'linux' ? 10 : 0

/**
 * Hashes passwords and checks them, in threads of low priority: requests are served before hashes are computed. Threads
 * start with the first work, and do not keep the process alive when they have none. Apps, addresses and users take turns:
 * who sends a thousand logins waits for them alone.
 *
 * How long a password may be is for the caller to limit, to 4096 bytes say: all of it is hashed.
 */
export class Passwords {
  readonly #pool: Piscina<object, unknown>
  readonly #queue: FairSemaphore
  /** Why a thread could not start. */
  #fault: unknown
  #stopped = false

  /** @param options.concurrency threads; unless told, one less than there are cores, but 1 to 4 */
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
   * @param principal whose turn it takes
   * @returns an argon2id hash in PHC form
   * @throws ApiError 429 when too many of the principal wait, or for too long; 511 when all together do, and when stopped
   */
  async hash(password: string, principal: Principal = SERVER): Promise<string> {
    return String(await this.#run('hash', { password }, principal))
  }

  /**
   * Compares a password with what is stored: argon2id, bcrypt (which knows only the first 72 bytes of a password), or
   * the form of the hosted service (`storedFormOf`). Anything else is 'wrong'.
   * @param stored null: a user without a password; takes as long as a wrong password and is 'wrong'
   * @throws ApiError as `hash`
   */
  async check(password: string, stored: string | null, principal: Principal = SERVER): Promise<PasswordCheck> {
    const form = stored === null ? null : readStoredForm(stored)
    const right = (await this.#run('matches', { password, form }, principal)) === true
    if (!right) return 'wrong'
    return form?.outdated ? 'outdated' : 'right'
  }

  /** Ends the threads; what is still computed or waits fails with ApiError 511. */
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

  /** What waits for a thread that could not start must fail now, or it would wait for ever. */
  #giveUp(fault: unknown): void {
    this.#fault = fault
    void this.#pool.destroy()
  }
}

/** One core is left to the event loop. */
function defaultConcurrency(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1))
}
