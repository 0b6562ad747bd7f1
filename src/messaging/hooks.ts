import type { JsonObject } from '../values/json.ts'

/** Hooks that are called before an operation and may change or reject it (protocol/cloud-code, Messaging hook parameters). */
export type DecidingHook =
  | '_messageReceived'
  | '_messageUpdate'
  | '_receiversOffline'
  | '_conversationStart'
  | '_conversationAdd'
  | '_conversationRemove'
  | '_conversationUpdate'

/** Hooks that are called after an operation. */
export type NotifyingHook =
  | '_messageSent'
  | '_conversationStarted'
  | '_conversationAdded'
  | '_conversationRemoved'
  | '_clientOnline'
  | '_clientOffline'

/** The cloud code of an app as messaging uses it. */
export interface MessagingHooks {
  /** Returns whether the app has a hook. Callers skip preparing its input otherwise. */
  has(hook: DecidingHook | NotifyingHook): boolean
  /**
   * Calls a hook that decides about an operation.
   * @returns the response of the hook; `{}`, which changes nothing, when the app has no such hook or it failed
   * @throws MessagingError 4200 when it failed and the app rejects operations on failure
   */
  decide(hook: DecidingHook, input: JsonObject): Promise<JsonObject>
  /** Calls a hook in the background; ignores its response. */
  notify(hook: NotifyingHook, input: JsonObject): void
}

/** Returns the code and message of a rejection by a hook, as clients receive them. */
export function rejectionOf(answer: JsonObject): { code: number; message: string } {
  return {
    code: typeof answer.code === 'number' && Number.isInteger(answer.code) ? answer.code : 0,
    message: typeof answer.detail === 'string' ? answer.detail : '',
  }
}
