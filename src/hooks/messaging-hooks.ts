import type { MessagingHooks } from '../messaging/hooks.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { MessagingSettings } from '../messaging/messaging-settings.ts'
import { isJsonObject, type JsonObject, member } from '../values/json.ts'
import type { CallOptions, Engine } from './engine.ts'
import { EngineFailure } from './engine-failure.ts'
import { DECISION_LIMIT, NOTICE_LIMIT } from './time-limits.ts'

export interface MessagingHooksParts {
  readonly settings: () => Pick<MessagingSettings, 'hooksFailClosed'>
  /** Time limit for the response of a deciding hook, in milliseconds. */
  readonly decisionLimit?: number
}

/**
 * Returns the hooks of messaging, which always call the engine for production (protocol/cloud-code, Messaging hooks;
 * protocol/cloud-code, Production and staging).
 */
export function messagingHooks(engine: Engine, parts: MessagingHooksParts): MessagingHooks {
  const { settings, decisionLimit = DECISION_LIMIT } = parts
  return {
    has: (hook) => engine.has(hook, true),
    async decide(hook, input) {
      if (!(await engine.provides(hook, true))) return {}
      try {
        return resultIn(await engine.call(hook, input, options(input, decisionLimit)))
      } catch (error) {
        if (!(error instanceof EngineFailure)) throw error
        engine.noteFailure(hook, error.message)
        if (settings().hooksFailClosed) throw messagingErrors.internal()
        return {}
      }
    },
    notify: (hook, input) => engine.notify(hook, input, options(input, NOTICE_LIMIT)),
  }
}

function options({ sourceIP }: JsonObject, timeout: number): CallOptions {
  return { production: true, timeout, clientAddress: typeof sourceIP === 'string' ? sourceIP : undefined }
}

/**
 * Returns the result of a response. A result that is missing, null or not an object changes nothing (protocol/cloud-code,
 * Messaging hooks).
 */
function resultIn(answer: JsonObject): JsonObject {
  const result = member(answer, 'result')
  return isJsonObject(result) ? result : {}
}
