import type { Bus } from '../bus/bus.ts'
import { NodeChannel } from '../bus/node-channel.ts'
import type { Log } from '../log.ts'
import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import type { Principal } from '../scheduling/principal.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { isSameSecret } from '../values/secrets.ts'
import { Background } from './background.ts'
import { Discovery } from './discovery.ts'
import { askEngine, type EngineAnswer, objectIn, type PassedAnswer, passToEngine } from './engine-call.ts'
import { EngineFailure } from './engine-failure.ts'
import { type EngineKeys, type FunctionCaller, functionHeaders, hookHeaders } from './engine-headers.ts'
import { NO_METADATA, readEngineMetadata } from './engine-metadata.ts'
import type { EngineSettings } from './engine-settings.ts'
import { hookSignature } from './hook-signature.ts'
import { ThrottledLog } from './throttled-log.ts'
import { NOTICE_LIMIT } from './time-limits.ts'

/** How many calls for clients an engine gets at once: one that is slow must not hold requests without end. */
const CALLS_AT_ONCE = 500
const CALLS_WAITING = { atAddress: 100, ofApp: 500, inAll: 500 }
/** Milliseconds that a call waits for its turn at most. */
const TIMEOUT_MS = 5000

/** Failures that are remembered on each node. */
const MOST_FAILURES = 50

/** What went wrong with cloud code. */
export interface HookFailure {
  /** ISO */
  readonly at: string
  /** The registered name of a hook; `functions` where a client called one. */
  readonly hook: string
  readonly reason: string
}

/** How many notices an engine gets at once. */
const NOTICES_AT_ONCE = 8

export interface EngineParts {
  readonly appId: string
  /** The app's keys as they are now. */
  readonly keys: () => EngineKeys
  readonly settings: () => EngineSettings
  /** To the other nodes that call the same engine; none unless told. */
  readonly bus?: Bus
  readonly log: Log
  /** How many calls for clients it gets at once; 500 unless told. */
  readonly callsAtOnce?: number
  /** How many notices may wait for the engine; 1000 unless told. */
  readonly noticesWaiting?: number
}

export interface CallOptions {
  /** Else the engine for staging is called. */
  readonly production: boolean
  /** Milliseconds until the whole answer has to be here. */
  readonly timeout: number
  /** IP address of the client that caused the call. */
  readonly clientAddress?: string | undefined
  /** The principal charged. None for what cloud code causes itself: its own caller waits for that already. */
  readonly principal?: Principal | undefined
  /** Where a hook is called that does not go by its registered name: a path below `/1.1/functions/`. */
  readonly path?: string
}

/** An engine as it is known. */
export interface EngineState {
  /** Its base URL */
  readonly url: string
  /** Registered names of its functions and hooks. */
  readonly names: readonly string[]
  readonly answers: boolean
}

/** The cloud code of one app: a web process of the app's own, one for production and perhaps one for staging. */
export class Engine {
  readonly #parts: EngineParts
  /** Made when an engine is first asked for: of an app without cloud code nothing is kept. */
  readonly #discoveries = new Map<'production' | 'staging', Discovery>()
  readonly #log: Log
  readonly #notices: Background
  readonly #throttledLog: ThrottledLog
  readonly #queue: FairSemaphore
  #failures: readonly HookFailure[] = []
  readonly #refreshes: NodeChannel<{ readonly production: boolean }> | undefined

  constructor(parts: EngineParts) {
    this.#parts = parts
    this.#notices = new Background(NOTICES_AT_ONCE, parts.noticesWaiting ?? 1000)
    const log = parts.log.child({ component: 'hooks', app: parts.appId })
    this.#log = log
    this.#throttledLog = new ThrottledLog(log)
    const slots = parts.callsAtOnce ?? CALLS_AT_ONCE
    this.#queue = new FairSemaphore({ slots, waiting: CALLS_WAITING, timeoutMs: TIMEOUT_MS })
    const heard = ({ production }: { readonly production: boolean }) => void this.#discovery(production).distrust()
    this.#refreshes =
      parts.bus && new NodeChannel({ bus: parts.bus, topic: `engine ${parts.appId}`, alone: false, heard, log })
  }

  /**
   * Whether the engine has a function or hook, by its registered name; true also while that is being found out, so that
   * nothing slips by. A hook is called only where `provides` says so too.
   */
  has(name: string, production: boolean): boolean {
    const url = this.#url(production)
    if (url === undefined && !this.#discoveries.has(production ? 'production' : 'staging')) return false
    const metadata = this.#discovery(production).known(url)
    return metadata === undefined || metadata.names.has(name)
  }

  /** Whether there is an engine for an environment. */
  isConfigured(production: boolean): boolean {
    return this.#url(production) !== undefined
  }

  /** What the engine of an environment has, as it said last, and whether it answers; null where none is configured. */
  async look(production: boolean): Promise<EngineState | null> {
    const url = this.#url(production)
    const discovery = this.#discovery(production)
    const { names } = await discovery.find(url)
    return url === undefined ? null : { url, names: [...names].sort(), answers: !discovery.isAway }
  }

  /** What has gone wrong lately on this node, the newest first. */
  get failures(): readonly HookFailure[] {
    return this.#failures
  }

  /** Asks the engine anew what it has, and lets the other nodes do so too; null where none is configured. */
  async refresh(production: boolean): Promise<{ readonly names: readonly string[]; readonly answers: boolean } | null> {
    const url = this.#url(production)
    const { metadata, answers } = await this.#discovery(production).refresh(url)
    this.#refreshes?.publish({ production })
    return url === undefined ? null : { names: [...metadata.names].sort(), answers }
  }

  /** The same for certain: waits where it has to be found out. */
  async provides(name: string, production: boolean): Promise<boolean> {
    const { names } = await this.#discovery(production).find(this.#url(production))
    return names.has(name)
  }

  /**
   * Calls a hook that goes by its registered name, and reads its answer.
   * @returns the whole body of the answer
   * @throws EngineFailure, and ApiError 429 or 503 when the principal has to wait for too long
   */
  async call(name: string, body: JsonObject, options: CallOptions): Promise<JsonObject> {
    return objectIn(await this.#inTurn(options.principal, () => this.#post(name, body, options)))
  }

  /** Calls a hook whose answer means nothing but that it agrees: it is not looked at. @throws as `call` */
  async callOnly(name: string, body: JsonObject, options: CallOptions): Promise<void> {
    await this.#inTurn(options.principal, () => this.#post(name, body, options))
  }

  /**
   * Calls a function, and gives back whatever is answered.
   * @param path below `/1.1/`
   * @param timeout milliseconds until the whole answer has to be here
   * @throws EngineFailure when nothing is answered, and ApiError 429 or 503 when the principal has to wait for too long
   */
  run(path: string, parameters: JsonObject, caller: FunctionCaller, timeout: number): Promise<PassedAnswer> {
    return this.#inTurn(caller.principal, () => this.#run(path, parameters, caller, timeout))
  }

  async #run(path: string, parameters: JsonObject, caller: FunctionCaller, timeout: number): Promise<PassedAnswer> {
    const url = this.#configured(caller.production)
    const { oneCallPerConnection } = this.#discovery(caller.production).known(url) ?? NO_METADATA
    return passToEngine({
      method: 'POST',
      url: `${url}/1.1/${path}`,
      headers: functionHeaders(this.#parts.keys(), caller),
      body: JSON.stringify(parameters),
      timeout,
      closes: oneCallPerConnection,
    })
  }

  /** Whether a signature of the time before the hook key is right (protocol/cloud-code, Signatures of older SDKs). */
  isSignature(name: string, signature: string): boolean {
    const [time = ''] = signature.split(',')
    const { masterKey } = this.#parts.keys()
    return /^\d{1,20}$/.test(time) && isSameSecret(signature, hookSignature(name, masterKey, Number(time)))
  }

  /**
   * Calls such a hook in the background, if there is one. Its answer is not looked at (protocol/cloud-code, Reading the
   * answer); what goes wrong is logged.
   */
  notify(name: string, body: JsonObject, options: CallOptions): void {
    if (!this.has(name, options.production)) return
    const isTaken = this.#notices.add(async () => {
      try {
        if (await this.provides(name, options.production)) await this.#post(name, body, options)
      } catch (error) {
        this.noteFailure(name, error instanceof Error ? error.message : String(error))
      }
    })
    if (!isTaken) this.noteFailure(name, 'The engine is too slow for its notices: some are dropped.')
  }

  /** Logs why a hook failed; not each time while it goes on failing. */
  noteFailure(hook: string, reason: string): void {
    this.#failures = [{ at: new Date().toISOString(), hook, reason }, ...this.#failures.slice(0, MOST_FAILURES - 1)]
    this.#throttledLog.warn(`${hook} ${reason}`, { hook, error: reason }, 'hook call failed')
  }

  /** Lets the engine have what it is still to be told, as long as one notice may take. */
  async stop(): Promise<void> {
    this.#refreshes?.stop()
    await this.#notices.stop(NOTICE_LIMIT)
  }

  async #inTurn<Result>(principal: Principal | undefined, work: () => Promise<Result>): Promise<Result> {
    if (!principal) return work()
    const wait = this.#queue.acquire(principal)
    if (wait) await wait
    try {
      return await work()
    } finally {
      this.#queue.release(principal)
    }
  }

  async #post(name: string, body: JsonObject, options: CallOptions): Promise<EngineAnswer> {
    const { production, timeout, clientAddress, path = name } = options
    const url = this.#configured(production)
    const keys = this.#parts.keys()
    const { knowsHookKey, oneCallPerConnection } = await this.#discovery(production).find(url)
    const proof = knowsHookKey ? {} : proofFor(name, body, keys.masterKey)
    return askEngine({
      method: 'POST',
      url: `${url}/1.1/functions/${path}`,
      headers: hookHeaders(keys, production, clientAddress),
      body: JSON.stringify({ ...body, ...proof }),
      timeout,
      closes: oneCallPerConnection,
    })
  }

  #configured(production: boolean): string {
    const url = this.#url(production)
    if (url === undefined) throw new EngineFailure('unreachable', 'No engine is configured.')
    return url
  }

  #url(production: boolean): string | undefined {
    const settings = this.#parts.settings()
    return production ? settings.production : settings.staging
  }

  #discovery(production: boolean): Discovery {
    const environment = production ? 'production' : 'staging'
    const known = this.#discoveries.get(environment)
    if (known) return known
    const parts = this.#parts
    const read = async (url: string) => readEngineMetadata(url, parts.keys(), production)
    const made = new Discovery({ log: this.#log, read })
    this.#discoveries.set(environment, made)
    return made
  }
}

/**
 * How a hook is proved to an engine of the time before the hook key: class hooks inside their object, others beside their
 * parameters. PHP reads it inside the object of the hooks about users, and takes that for a user only where it says so
 * (protocol/cloud-code, Signatures of older SDKs).
 */
function proofFor(name: string, { object }: JsonObject, masterKey: string): JsonObject {
  const classHook = /^__(before|after)_[a-z]+_for_(.+)$/.exec(name)
  if (!classHook || !isJsonObject(object)) {
    const __sign = hookSignature(name, masterKey, Date.now())
    if (!USER_HOOK.test(name) || !isJsonObject(object)) return { __sign }
    return { __sign, object: { ...object, __type: 'Object', className: '_User', __sign } }
  }
  const [, kind, className] = classHook
  const signature = hookSignature(`__${kind}_for_${className}`, masterKey, Date.now())
  return { object: { ...object, [`__${kind}`]: signature } }
}

/** `onLogin` and `onVerified`, by their registered names. */
const USER_HOOK = /^__on_(?:login__User|verified_)/
