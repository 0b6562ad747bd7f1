import type { Bus } from '../bus/bus.ts'
import { NodeChannel } from '../bus/node-channel.ts'
import type { Counts } from '../counts.ts'
import type { Log } from '../log.ts'
import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import type { Principal } from '../scheduling/principal.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { isSameSecret } from '../values/secrets.ts'
import { Background } from './background.ts'
import { Discovery } from './discovery.ts'
import { callEngine, type EngineAnswer, objectIn, type PassedAnswer, passToEngine } from './engine-call.ts'
import { EngineFailure } from './engine-failure.ts'
import { type EngineKeys, type FunctionCaller, functionHeaders, hookHeaders } from './engine-headers.ts'
import { NO_METADATA, readEngineMetadata } from './engine-metadata.ts'
import type { EngineSettings } from './engine-settings.ts'
import { hookSignature } from './hook-signature.ts'
import { ThrottledLog } from './throttled-log.ts'
import { NOTICE_LIMIT } from './time-limits.ts'

/** Maximum number of concurrent calls for clients: a slow engine must not hold an unlimited number of requests. */
const CALLS_AT_ONCE = 500
const CALLS_WAITING = { atAddress: 100, ofApp: 500, inAll: 500 }
/** Maximum time that a call waits in the queue, in milliseconds. */
const TIMEOUT_MS = 5000

/** Maximum number of failures that each node remembers. */
const MAX_FAILURES = 50

/** A failure of cloud code. */
export interface HookFailure {
  /** ISO */
  readonly at: string
  /** The registered name of a hook; `functions` for a function that a client called. */
  readonly hook: string
  readonly reason: string
}

/** Maximum number of concurrent notifications. */
const NOTICES_AT_ONCE = 8

export interface EngineParts {
  readonly appId: string
  /** Returns the current keys of the app. */
  readonly keys: () => EngineKeys
  readonly settings: () => EngineSettings
  /** Connects the nodes that call the same engine; omitted for a single node. */
  readonly bus?: Bus
  /** Counts failed calls by reason. */
  readonly counts?: Counts
  readonly log: Log
  /** Maximum number of concurrent calls for clients; 500 by default. */
  readonly callsAtOnce?: number
  /** Maximum number of waiting notifications; 1000 by default. */
  readonly noticesWaiting?: number
}

export interface CallOptions {
  /** Selects the engine for production; otherwise that for staging is called. */
  readonly production: boolean
  /** Time limit for the whole response, in milliseconds. */
  readonly timeout: number
  /** IP address of the client that caused the call. */
  readonly clientAddress?: string | undefined
  /** The principal charged. Omitted for calls that cloud code causes: the call of its own caller is already in the queue. */
  readonly principal?: Principal | undefined
  /** The path of a hook that is not called by its registered name, below `/1.1/functions/`. */
  readonly path?: string
}

/** The known state of an engine. */
export interface EngineState {
  /** Its base URL. */
  readonly url: string
  /** Registered names of its functions and hooks. */
  readonly names: readonly string[]
  readonly answers: boolean
}

/** The cloud code of one app: a web process of the app's own, for production and optionally for staging. */
export class Engine {
  readonly #parts: EngineParts
  /** Created when an engine is first requested, so that apps without cloud code use no memory. */
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
    const onMessage = ({ production }: { readonly production: boolean }) => void this.#discovery(production).distrust()
    this.#refreshes =
      parts.bus && new NodeChannel({ bus: parts.bus, topic: `engine ${parts.appId}`, alone: false, onMessage, log })
  }

  /**
   * Returns whether the engine has a function or hook, by its registered name. Also true while that is unknown, so that no hook
   * is skipped. A hook is called only if `provides` confirms it.
   */
  has(name: string, production: boolean): boolean {
    const url = this.#url(production)
    if (url === undefined && !this.#discoveries.has(production ? 'production' : 'staging')) return false
    const metadata = this.#discovery(production).known(url)
    return metadata === undefined || metadata.names.has(name)
  }

  /** Returns whether an environment has an engine. */
  isConfigured(production: boolean): boolean {
    return this.#url(production) !== undefined
  }

  /**
   * Whether the production engine responded when it was last needed; null without an engine. One that did not is tried again in
   * the background. One that did is left alone, because engines may sleep until they are called.
   */
  get isUp(): boolean | null {
    const url = this.#url(true)
    if (url === undefined) return null
    const discovery = this.#discovery(true)
    if (discovery.isAway) discovery.known(url)
    return !discovery.isAway
  }

  /** Returns the state of an environment's engine, with its last known functions and hooks; null without an engine. */
  async look(production: boolean): Promise<EngineState | null> {
    const url = this.#url(production)
    const discovery = this.#discovery(production)
    const { names } = await discovery.find(url)
    return url === undefined ? null : { url, names: [...names].sort(), answers: !discovery.isAway }
  }

  /** The latest failures on this node, newest first. */
  get failures(): readonly HookFailure[] {
    return this.#failures
  }

  /** Reads the metadata of the engine again, here and on the other nodes; null without an engine. */
  async refresh(production: boolean): Promise<{ readonly names: readonly string[]; readonly answers: boolean } | null> {
    const url = this.#url(production)
    const { metadata, answers } = await this.#discovery(production).refresh(url)
    this.#refreshes?.publish({ production })
    return url === undefined ? null : { names: [...metadata.names].sort(), answers }
  }

  /** Returns whether the engine has a function or hook; waits for its metadata if necessary. */
  async provides(name: string, production: boolean): Promise<boolean> {
    const { names } = await this.#discovery(production).find(this.#url(production))
    return names.has(name)
  }

  /**
   * Calls a hook by its registered name, and parses its response.
   * @returns the whole body of the response
   * @throws EngineFailure, and ApiError 429 or 503 when the principal would wait too long
   */
  async call(name: string, body: JsonObject, options: CallOptions): Promise<JsonObject> {
    return objectIn(await this.#queued(options.principal, () => this.#post(name, body, options)))
  }

  /** Calls a hook whose successful response means consent, whatever its content. @throws as `call` */
  async callOnly(name: string, body: JsonObject, options: CallOptions): Promise<void> {
    await this.#queued(options.principal, () => this.#post(name, body, options))
  }

  /**
   * Calls a function, and returns the response whatever its status.
   * @param path the path below `/1.1/`
   * @param timeout time limit for the whole response, in milliseconds
   * @throws EngineFailure when there is no response, and ApiError 429 or 503 when the principal would wait too long
   */
  run(path: string, parameters: JsonObject, caller: FunctionCaller, timeout: number): Promise<PassedAnswer> {
    return this.#queued(caller.principal, () => this.#run(path, parameters, caller, timeout))
  }

  async #run(path: string, parameters: JsonObject, caller: FunctionCaller, timeout: number): Promise<PassedAnswer> {
    const url = this.#configured(caller.production)
    const { oneCallPerConnection } = this.#discovery(caller.production).known(url) ?? NO_METADATA
    return this.#counted(() =>
      passToEngine({
        method: 'POST',
        url: `${url}/1.1/${path}`,
        headers: functionHeaders(this.#parts.keys(), caller),
        body: JSON.stringify(parameters),
        timeout,
        closes: oneCallPerConnection,
      }),
    )
  }

  /** Checks a signature of SDKs from before the hook key (protocol/cloud-code, Signatures of older SDKs). */
  isSignature(name: string, signature: string): boolean {
    const [time = ''] = signature.split(',')
    const { masterKey } = this.#parts.keys()
    return /^\d{1,20}$/.test(time) && isSameSecret(signature, hookSignature(name, masterKey, Number(time)))
  }

  /**
   * Calls a hook in the background, if the engine has it. Its response is ignored (protocol/cloud-code, Reading the answer);
   * failures are logged.
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

  /** Records and logs the failure of a hook. Repeated failures are logged at a limited rate. */
  noteFailure(hook: string, reason: string): void {
    this.#failures = [{ at: new Date().toISOString(), hook, reason }, ...this.#failures.slice(0, MAX_FAILURES - 1)]
    this.#throttledLog.warn(`${hook} ${reason}`, { hook, error: reason }, 'hook call failed')
  }

  /** Sends pending notifications, for up to the time limit of one. */
  async stop(): Promise<void> {
    this.#refreshes?.stop()
    await this.#notices.stop(NOTICE_LIMIT)
  }

  async #queued<Result>(principal: Principal | undefined, work: () => Promise<Result>): Promise<Result> {
    if (!principal) return work()
    try {
      const wait = this.#queue.acquire(principal)
      if (wait) await wait
    } catch (error) {
      this.#parts.counts?.add(['busy'])
      throw error
    }
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
    return this.#counted(() =>
      callEngine({
        method: 'POST',
        url: `${url}/1.1/functions/${path}`,
        headers: hookHeaders(keys, production, clientAddress),
        body: JSON.stringify({ ...body, ...proof }),
        timeout,
        closes: oneCallPerConnection,
      }),
    )
  }

  async #counted<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call()
    } catch (error) {
      if (error instanceof EngineFailure) this.#parts.counts?.add([error.kind])
      throw error
    }
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
 * Returns the members that authenticate the server to an engine from before the hook key: inside the object for class hooks,
 * beside the parameters for others. PHP reads the signature inside the object of user hooks, and treats the object as a user only
 * if it is marked as one (protocol/cloud-code, Signatures of older SDKs).
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

/** The registered names of `onLogin` and `onVerified`. */
const USER_HOOK = /^__on_(?:login__User|verified_)/
