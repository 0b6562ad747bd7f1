import type { MessagingHooks } from '../messaging/hooks.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { MessagingSettings } from '../messaging/messaging-settings.ts'
import { isJsonObject, type JsonObject, member } from '../values/json.ts'
import type { CallOptions, Engine } from './engine.ts'
import { EngineFailure } from './engine-failure.ts'
import { DECISION_LIMIT, NOTICE_LIMIT } from './time-limits.ts'

export interface MessagingHooksParts {
  readonly settings: () => Pick<MessagingSettings, 'hooksFailClosed'>
  /** Milliseconds that an answer which matters may take. */
  readonly decisionLimit?: number
}

/**
 * Messaging's questions and notices, put to the engine; always to that of production (protocol/cloud-code, Messaging
 * hooks; protocol/cloud-code, Production and staging).
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

/** A result that is missing, null or no object changes nothing (protocol/cloud-code, Messaging hooks). */
function resultIn(answer: JsonObject): JsonObject {
  const result = member(answer, 'result')
  return isJsonObject(result) ? result : {}
}
