import { has, isJsonObject, type Json, type JsonObject, parseJson } from '../../values/json.ts'
import type { Conversation } from '../conversation.ts'
import type { DevicePush } from '../device-pushes.ts'
import type { Message } from '../message.ts'
import type { Messaging } from '../messaging.ts'

/** How long devices may receive the push of a message, in milliseconds (protocol/realtime, Limits). */
const PUSH_LIFE = 7 * 24 * 60 * 60_000

/**
 * Pushes a message to the devices of receivers that are offline, in the background (protocol/realtime, Transient, will, priority,
 * push data, mentions, binary; protocol/cloud-code, Messaging hook parameters). The hook `_receiversOffline` is called first and
 * may change the receivers and the content.
 * @param receivers the receivers of the message; the sender counts as online
 * @param pushData the push data of the sender, as JSON text
 */
export function notifyAbsent(
  messaging: Messaging,
  conversation: Conversation,
  message: Message,
  receivers: Iterable<string>,
  pushData: string | null,
): void {
  const hasHook = messaging.hooks.has('_receiversOffline')
  const notify = async () => {
    const absent = await absentAmong(messaging, receivers, message.sender)
    if (absent.length === 0) return
    const decided = hasHook ? await callOfflineHook(messaging, message, absent) : LEFT_ALONE
    const data = decided.data ?? pushObject(pushData) ?? standardPush(messaging, message)
    if (decided.skip || data === null) return
    const { muters } = conversation
    const clients = (decided.absent ?? absent).filter((clientId) => decided.force || !muters.has(clientId))
    if (clients.length > 0) await messaging.devices.toClients(clients, devicePush(data))
  }
  messaging.pendingWork.add(notify(), 'push to offline members failed')
}

/** Returns a push with this data. `_profile` selects the APNs environment and is removed. */
export function devicePush(data: JsonObject, expiresAt = Date.now() + PUSH_LIFE): DevicePush {
  const { _profile, ...rest } = data
  return { data: rest, prod: _profile === 'dev' ? 'dev' : 'prod', expiresAt }
}

/** Parses JSON text to an object; returns null for anything else. */
export function pushObject(text: string | null): JsonObject | null {
  if (text === null) return null
  let value: unknown
  try {
    value = parseJson(text, 'the push data')
  } catch {
    return null
  }
  return isJsonObject(value) ? value : null
}

async function absentAmong({ presence }: Messaging, receivers: Iterable<string>, sender: string): Promise<string[]> {
  const others = [...new Set(receivers)].filter((clientId) => clientId !== sender)
  const online = await presence.online(others)
  return others.filter((clientId) => !online.has(clientId))
}

interface Decision {
  readonly skip: boolean
  /** Whether members that have muted the conversation are notified too. */
  readonly force: boolean
  /** null: unchanged */
  readonly absent: readonly string[] | null
  readonly data: JsonObject | null
}

const LEFT_ALONE: Decision = { skip: false, force: false, absent: null, data: null }

async function callOfflineHook(messaging: Messaging, message: Message, absent: readonly string[]): Promise<Decision> {
  const { sender, convId, content, ts, mentionAll, mentions } = message
  const answer = await messaging.hooks.decide('_receiversOffline', {
    fromPeer: sender,
    convId,
    offlinePeers: [...absent],
    content,
    timestamp: ts,
    mentionAll,
    mentionOfflinePeers: mentionAll ? [] : absent.filter((clientId) => mentions.includes(clientId)),
  })
  const { offlinePeers, pushMessage } = answer
  return {
    skip: answer.skip === true,
    force: answer.force === true,
    absent: Array.isArray(offlinePeers) ? offlinePeers.filter((item) => typeof item === 'string') : null,
    data: isJsonObject(pushMessage) ? pushMessage : pushObject(typeof pushMessage === 'string' ? pushMessage : null),
  }
}

/** Returns the push that the app has configured for all messages, a JSON object or the text to show; null for none. */
function standardPush(messaging: Messaging, { convId, ts, sender }: Message): JsonObject | null {
  const { offlinePush } = messaging.settings()
  if (offlinePush === null) return null
  const names: { readonly [name: string]: string } = { convId, timestamp: String(ts), fromClientId: sender }
  const fill = (text: string) =>
    text.replace(/\$\{(\w+)\}/g, (match, name: string) => (has(names, name) ? names[name]! : match))
  const object = pushObject(offlinePush)
  return object ? (fillTexts(object, fill) as JsonObject) : { alert: fill(offlinePush) }
}

function fillTexts(value: Json, fill: (text: string) => string): Json {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((item) => fillTexts(item, fill))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fillTexts(item, fill)]))
}
