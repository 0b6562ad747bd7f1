import type { AccountHooks } from '../accounts/hooks.ts'
import { ApiError, errors } from '../errors.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { type Origin, principalOf } from '../objects/access/origin.ts'
import { isJsonObject, type JsonObject, member } from '../values/json.ts'
import { AFTER_HOOK_JOB, type AfterHookJob } from './class-hooks.ts'
import type { Engine } from './engine.ts'
import { EngineFailure } from './engine-failure.ts'
import { DECISION_LIMIT } from './time-limits.ts'

export interface UserHooksParts {
  readonly appId: string
  readonly engine: Engine
  readonly jobs: Pick<Jobs, 'enqueue'>
  /** Time limit for the response of a deciding hook, in milliseconds. */
  readonly decisionLimit?: number
}

const ON_LOGIN = '__on_login__User'
const ON_AUTH_DATA = '__on_authdata__User'
const ON_VERIFIED = '__on_verified_'

/** Returns the hooks of an app's accounts, which call its engine (protocol/cloud-code, User hooks). */
export function userHooks({ appId, engine, jobs, decisionLimit = DECISION_LIMIT }: UserHooksParts): AccountHooks {
  const options = (origin: Origin, path: string) => {
    const { production, clientAddress } = origin
    return { production, clientAddress, timeout: decisionLimit, path, principal: principalOf(origin) }
  }
  return {
    hasLoginHook: ({ production }) => engine.has(ON_LOGIN, production),
    async callLoginHook(user, origin) {
      if (!(await engine.provides(ON_LOGIN, origin.production))) return
      try {
        await engine.callOnly(ON_LOGIN, { object: user }, options(origin, '_User/onLogin'))
      } catch (error) {
        const refusal = refusalOf(error, 'onLogin')
        // A rejected login has its own status (protocol/cloud-code, Errors seen by clients).
        throw refusal.code === 142 ? new ApiError(401, refusal.code, refusal.message) : refusal
      }
    },
    hasAuthDataHook: ({ production }) => engine.has(ON_AUTH_DATA, production),
    async callAuthDataHook(authData, origin) {
      if (!(await engine.provides(ON_AUTH_DATA, origin.production))) return authData
      try {
        return resultIn(await engine.call(ON_AUTH_DATA, { authData }, options(origin, '_User/onAuthData'))) ?? authData
      } catch (error) {
        throw refusalOf(error, 'onAuthData')
      }
    },
    notifiesVerified: (kind, { production }) => engine.has(ON_VERIFIED + kind, production),
    async notifyVerified(kind, object, { production, clientAddress = null }, transaction) {
      const name = ON_VERIFIED + kind
      const path = `onVerified/${kind}`
      const job: AfterHookJob = { appId, name, path, object, userId: null, production, clientAddress }
      await jobs.enqueue(AFTER_HOOK_JOB, job, { transaction })
    },
  }
}

/**
 * Returns the result of a response. @returns null when the hook does not change the data (protocol/cloud-code, User hooks)
 * @throws EngineFailure for an invalid result
 */
function resultIn(answer: JsonObject): JsonObject | null {
  const result = member(answer, 'result') ?? null
  if (result === null || isJsonObject(result)) return result
  throw new EngineFailure('garbage', 'The result of the hook must be an object.')
}

/** Returns the error for a failed hook. Both hooks guard logins, so a failure rejects (protocol/cloud-code, User hooks). */
function refusalOf(error: unknown, hook: string): ApiError {
  if (!(error instanceof EngineFailure)) throw error
  if (error.kind === 'timeout') return errors.hookTimedOut(`The class is '_User', the hook ${hook}.`)
  return errors.hookRefused(error.detail ?? error.message)
}
