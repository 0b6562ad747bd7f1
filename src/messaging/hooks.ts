import type { JsonObject } from '../values/json.ts'

/** Hooks that are asked before something happens (protocol/cloud-code, Messaging hook parameters). */
export type DecidingHook =
  | '_messageReceived'
  | '_messageUpdate'
  | '_receiversOffline'
  | '_conversationStart'
  | '_conversationAdd'
  | '_conversationRemove'
  | '_conversationUpdate'

/** Hooks that are told afterwards. */
export type NotifyingHook =
  | '_messageSent'
  | '_conversationStarted'
  | '_conversationAdded'
  | '_conversationRemoved'
  | '_clientOnline'
  | '_clientOffline'

/** The cloud code of an app, as far as messaging asks it. */
export interface MessagingHooks {
  /** Whether the app has such a hook: where it has none, nothing need be prepared for it. */
  has(hook: DecidingHook | NotifyingHook): boolean
  /**
   * @returns what the hook answered; `{}`, which changes nothing, when there is none or it failed
   * @throws MessagingError 4200 when it failed and the app wants to stop then
   */
  decide(hook: DecidingHook, input: JsonObject): Promise<JsonObject>
  /** Tells in the background; what the hook answers is not read. */
  notify(hook: NotifyingHook, input: JsonObject): void
}

/** What a hook said against something, as clients are told it. */
export function verdictOf(answer: JsonObject): { code: number; message: string } {
  return {
    code: typeof answer.code === 'number' && Number.isInteger(answer.code) ? answer.code : 0,
    message: typeof answer.detail === 'string' ? answer.detail : '',
  }
}
