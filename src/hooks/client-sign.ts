import { isJsonObject, type JsonObject, member } from '../values/json.ts'
import type { Engine } from './engine.ts'
import { EngineFailure } from './engine-failure.ts'
import { DECISION_LIMIT } from './time-limits.ts'

const HOOK = '_rtmClientSign'

export type SignDecision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string }

/** The origin of a request for a signature. */
export interface SignRequest {
  /** `X-LC-Prod`: selects the environment whose engine is called. */
  readonly production: boolean
  /** IP address */
  readonly clientAddress?: string | undefined
}

/**
 * Calls `_rtmClientSign`, which decides whether a user gets a signature for a messaging login (protocol/cloud-code, Messaging
 * hooks). It guards a login: only `true` allows it, and a failing hook rejects it. Without the hook, all users may log in. An
 * environment without an engine must not bypass the hook of the other one, so production is called then.
 * @param user the record of the user as it sees itself, with `sessionToken`
 */
export async function mayClientSign(engine: Engine, user: JsonObject, request: SignRequest): Promise<SignDecision> {
  const production = request.production || !engine.isConfigured(false)
  if (!(await engine.provides(HOOK, production))) return { allowed: true }
  try {
    const options = { ...request, production, timeout: DECISION_LIMIT }
    return decisionIn(await engine.call(HOOK, shownOf(user), options))
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    engine.noteFailure(HOOK, error.message)
    return { allowed: false, reason: 'The cloud code of the app did not respond.' }
  }
}

/**
 * Returns the decision, which is the whole response, or the result of a function that returned the same object
 * (protocol/cloud-code, Messaging hooks).
 */
function decisionIn(answer: JsonObject): SignDecision {
  const result = member(answer, 'result')
  const decision = isJsonObject(result) ? result : answer
  if (member(decision, 'result') === true) return { allowed: true }
  const error = member(decision, 'error')
  return { allowed: false, reason: typeof error === 'string' ? error : '' }
}

/**
 * The members of a user that the hook receives (protocol/cloud-code, Messaging hook parameters). The phone number has another
 * name there.
 */
const SHOWN: ReadonlyMap<string, string> = new Map([
  ['email', 'email'],
  ['sessionToken', 'sessionToken'],
  ['updatedAt', 'updatedAt'],
  ['mobilePhoneNumber', 'phone'],
  ['objectId', 'objectId'],
  ['username', 'username'],
  ['createdAt', 'createdAt'],
  ['emailVerified', 'emailVerified'],
  ['mobilePhoneVerified', 'mobilePhoneVerified'],
])

function shownOf(user: JsonObject): JsonObject {
  const shown = Object.entries(user).flatMap(([name, value]) => {
    const shownName = SHOWN.get(name)
    return shownName === undefined ? [] : [[shownName, value] as const]
  })
  return Object.fromEntries(shown)
}
