import { type ApiError, errors } from '../errors.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { BeforeHook, ObjectHooks } from '../objects/access/hooks.ts'
import { type ClassHook, principalOf } from '../objects/access/origin.ts'
import type { JsonObject } from '../values/json.ts'
import type { CallOptions, Engine } from './engine.ts'
import { EngineFailure } from './engine-failure.ts'
import { AFTER_LIMIT, DECISION_LIMIT } from './time-limits.ts'

export interface ClassHooksParts {
  readonly appId: string
  readonly engine: Engine
  readonly jobs: Pick<Jobs, 'enqueue'>
  /** Returns the user in the form for hooks, with its session token; null when it does not exist (any more). */
  readonly userOf: (userId: string) => Promise<JsonObject | null>
  /** Time limit for the response of a before hook, in milliseconds. */
  readonly decisionLimit?: number
}

/** A pending call of an after hook: the payload of jobs of the kind `class-hook`. */
export interface AfterHookJob {
  readonly appId: string
  /** The registered name of the hook. */
  readonly name: string
  /** The path of the hook below `/1.1/functions/`. */
  readonly path: string
  readonly object: JsonObject
  /** The user whose session the write used; null for none. */
  readonly userId: string | null
  readonly production: boolean
  readonly clientAddress: string | null
}

export const AFTER_HOOK_JOB = 'class-hook'

const REGISTERED: { readonly [hook in ClassHook]: string } = {
  beforeSave: '__before_save_for_',
  afterSave: '__after_save_for_',
  beforeUpdate: '__before_update_for_',
  afterUpdate: '__after_update_for_',
  beforeDelete: '__before_delete_for_',
  afterDelete: '__after_delete_for_',
}

/** Returns the hooks of an app's classes, which call its engine (protocol/cloud-code, Class hooks). */
export function classHooks(parts: ClassHooksParts): ObjectHooks {
  const { appId, engine, jobs, userOf, decisionLimit = DECISION_LIMIT } = parts
  return {
    has: (hook, className, { production }) => engine.has(REGISTERED[hook] + className, production),
    async invoke(hook, className, object, { userId, origin }) {
      const { production, clientAddress } = origin!
      const name = REGISTERED[hook] + className
      if (!(await engine.provides(name, production))) return {}
      const body = await bodyOf(object, userId, userOf)
      const path = `${className}/${hook}`
      const options = { production, clientAddress, timeout: decisionLimit, path, principal: principalOf(origin!) }
      try {
        return await answerOf(engine, hook, name, body, options)
      } catch (error) {
        throw error instanceof EngineFailure ? refusalOf(error, hook, className) : error
      }
    },
    async notify(hook, className, object, { userId, origin }, transaction) {
      const { production, clientAddress = null } = origin!
      const name = REGISTERED[hook] + className
      const job: AfterHookJob = {
        appId,
        name,
        path: `${className}/${hook}`,
        object,
        userId,
        production,
        clientAddress,
      }
      await jobs.enqueue(AFTER_HOOK_JOB, job, { transaction })
    },
    isSigned: (kind, className, signature) => engine.isSignature(`__${kind}_for_${className}`, signature),
  }
}

/** The parts of an app that jobs of hooks need. */
export interface HookTarget {
  readonly engine: Engine
  readonly userOf: ClassHooksParts['userOf']
}

/** Maximum number of after hooks that a node calls at once. */
const AT_ONCE = 8
/** Maximum number of attempts to read the input of a hook. A failed call is not repeated. */
const TRIES = 5

/**
 * Runs the pending calls of after hooks. Each hook is called once (protocol/cloud-code, Reading the answer), unless the node dies
 * meanwhile; failures are logged.
 * @param open returns the hooks of an app; undefined when the app is deleted
 */
export function handleAfterHooks(jobs: Jobs, open: (appId: string) => Promise<HookTarget | undefined>): void {
  jobs.handle<AfterHookJob>(AFTER_HOOK_JOB, {
    maxAttempts: TRIES,
    concurrency: AT_ONCE,
    async run({ appId, name, path, object, userId, production, clientAddress }) {
      const target = await open(appId)
      if (!target || !(await target.engine.provides(name, production))) return
      const body = await bodyOf(object, userId, target.userOf)
      const options = { production, clientAddress: clientAddress ?? undefined, timeout: AFTER_LIMIT, path }
      try {
        await target.engine.callOnly(name, body, options)
      } catch (error) {
        if (!(error instanceof EngineFailure)) throw error
        // The text of the engine may contain anything, and is in the engine's log.
        target.engine.noteFailure(path, error.message)
      }
    },
  })
}

/** Returns the body of a call (protocol/cloud-code, Request body). */
async function bodyOf(
  object: JsonObject,
  userId: string | null,
  userOf: ClassHooksParts['userOf'],
): Promise<JsonObject> {
  const user = userId === null ? null : await userOf(userId)
  return { object, ...(user && { user }) }
}

/**
 * Calls a before hook. The response matters for `beforeSave` only: an empty one, or JSON that is not an object, changes nothing
 * (protocol/cloud-code, Answer of beforeSave). An unreadable response rejects the save; otherwise a client could bypass the hook
 * with data that makes the response unreadable.
 */
async function answerOf(
  engine: Engine,
  hook: BeforeHook,
  name: string,
  body: JsonObject,
  options: CallOptions,
): Promise<JsonObject> {
  if (hook !== 'beforeSave') {
    await engine.callOnly(name, body, options)
    return {}
  }
  try {
    return await engine.call(name, body, options)
  } catch (error) {
    if (error instanceof EngineFailure && error.kind === 'garbage') return {}
    throw error
  }
}

/**
 * Returns the error for a failed before hook, which rejects the write (protocol/cloud-code, Rejection by a before hook;
 * protocol/cloud-code, Errors seen by clients).
 */
function refusalOf({ kind, detail, message }: EngineFailure, hook: BeforeHook, className: string): ApiError {
  if (kind === 'timeout') return errors.hookTimedOut(`The class is '${className}', the hook ${hook}.`)
  return errors.hookRefused(detail ?? message)
}
