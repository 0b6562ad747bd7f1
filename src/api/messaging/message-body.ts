import { errors } from '../../errors.ts'
import { MAX_MENTIONS } from '../../messaging/message.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import { isJsonObject, type JsonObject, member, shown } from '../../values/json.ts'
import { clientsIn, flagIn, requiredText, textIn } from '../request-fields.ts'

const PRIORITIES = ['high', 'normal', 'low']

/** A message in a request of the app's backend (protocol/messaging, Send message). */
export interface MessageBody {
  readonly content: string
  readonly transient: boolean
  /** The sender is notified, too. */
  readonly sync: boolean
  readonly mentionAll: boolean
  readonly mentions: readonly string[]
  /** JSON text */
  readonly pushData: string | null
  readonly lowPriority: boolean
}

/** @throws ApiError 1 */
export function messageBodyOf(fields: Parameters): MessageBody {
  return {
    content: requiredText(fields, 'message'),
    transient: flagIn(fields, 'transient'),
    sync: !flagIn(fields, 'no_sync'),
    ...mentionsOf(fields),
    pushData: pushDataOf(fields, 'push_data'),
    lowPriority: priorityOf(fields) === 'low',
  }
}

/**
 * Returns the clients that a message mentions.
 * @throws ApiError 1
 */
export function mentionsOf(fields: Parameters): Pick<MessageBody, 'mentionAll' | 'mentions'> {
  return {
    mentionAll: flagIn(fields, 'mention_all'),
    mentions: clientsIn(fields, 'mention_client_ids', MAX_MENTIONS),
  }
}

/** Returns the response for a sent message (protocol/messaging, Message). */
export function sentAnswer({ id, ts }: { readonly id: string; readonly ts: number }): object {
  return { 'msg-id': id, timestamp: ts }
}

/**
 * Returns the content of a push as JSON text: objects unchanged, any other text as the alert.
 * @throws ApiError 1
 */
export function pushDataOf(fields: Parameters, name: string): string | null {
  const value = member(fields as JsonObject, name) ?? null
  if (value === null || value === '') return null
  if (typeof value === 'string') return isObjectText(value) ? value : JSON.stringify({ alert: value })
  if (!isJsonObject(value))
    throw errors.badArgument(`'${name}' must be a string or a JSON object, not ${shown(value)}.`)
  return JSON.stringify(value)
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}

/** @throws ApiError 1 */
function priorityOf(fields: Parameters): string {
  const priority = textIn(fields, 'priority') ?? 'normal'
  if (!PRIORITIES.includes(priority.toLowerCase()))
    throw errors.badArgument(`'priority' must be high, normal or low, not ${shown(priority)}.`)
  return priority.toLowerCase()
}
