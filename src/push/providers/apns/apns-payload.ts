import { createHash } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject, member } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'

/** A notification for APNs, without the parts that differ between devices. */
export interface ApnsMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly payload: JsonObject
  /** Whether each device has its own badge in `aps`. */
  readonly countsBadges: boolean
  /** Maximum bytes of the payload. */
  readonly maxSize: number
}

/** Keys of the content that become headers. */
const HEADER_KEYS = ['collapse-id', 'apns-priority', 'apns-push-type']
/** Keys for Android only. */
const NOT_SENT = ['action', 'silent', '_notificationChannel']
/** Keys that are copied to `aps`. */
const APS_KEYS = ['category', 'thread-id', 'content-available', 'mutable-content', 'target-content-id', 'url-args']
const APS_DICTIONARY_KEYS = ['alert', 'title', 'badge', 'sound', ...APS_KEYS]

/** Converts a notification to headers and payload (protocol/push, Content for iOS). Content with `aps` is used as the payload. */
export function apnsMessage({ id, content, expiresAt }: Notification): ApnsMessage {
  const ready = isJsonObject(content.aps) ? content.aps : null
  const prepared = ready ?? apsOf(content)
  const { badge, ...aps } = prepared
  const own = without(content, [...HEADER_KEYS, ...NOT_SENT, ...(ready ? ['aps'] : APS_DICTIONARY_KEYS)])
  const pushType = pushTypeOf(content, prepared)
  return {
    headers: {
      'apns-push-type': pushType,
      'apns-priority': priorityOf(content, pushType),
      'apns-expiration': expiresAt === null ? '0' : String(Math.floor(expiresAt / 1000)),
      'apns-collapse-id': collapseId(content['collapse-id'], id),
    },
    payload: { aps: typeof badge === 'number' ? { ...aps, badge } : aps, ...own },
    countsBadges: badge === 'Increment',
    maxSize: pushType === 'voip' ? 5120 : 4096,
  }
}

/** Returns the payload for a device. A device without a counter keeps its current badge. */
export function payloadFor({ payload, countsBadges }: ApnsMessage, badge: number | null): Buffer {
  const counted =
    countsBadges && badge !== null ? { ...payload, aps: { ...(payload.aps as JsonObject), badge } } : payload
  return Buffer.from(JSON.stringify(counted))
}

function apsOf(content: JsonObject): JsonObject {
  const alert = alertOf(content)
  const sound = soundOf(content.sound)
  const flags = Object.fromEntries(
    APS_KEYS.filter((key) => Object.hasOwn(content, key)).map((key) => [key, flag(content[key]!)]),
  )
  return {
    ...(alert !== undefined && { alert }),
    ...(sound !== undefined && { sound }),
    ...(content.badge !== undefined && { badge: content.badge }),
    ...flags,
  }
}

function alertOf({ alert, title }: JsonObject): Json | undefined {
  if (typeof title !== 'string') return alert
  if (isJsonObject(alert)) return { title, ...alert }
  return alert === undefined ? { title } : { title, body: alert }
}

function soundOf(sound: Json | undefined): Json | undefined {
  if (!isJsonObject(sound) || !Object.hasOwn(sound, 'critical')) return sound
  return { ...sound, critical: flag(sound.critical!) }
}

/** Converts booleans: APNs expects 1 and 0. */
function flag(value: Json): Json {
  return value === true ? 1 : value === false ? 0 : value
}

function pushTypeOf(content: JsonObject, aps: JsonObject): string {
  const given = content['apns-push-type']
  if (typeof given === 'string' && /^[a-z]{1,32}$/.test(given)) return given
  const shows = ['alert', 'badge', 'sound'].some((key) => aps[key] !== undefined)
  return flag(aps['content-available'] ?? 0) === 1 && !shows ? 'background' : 'alert'
}

/** Returns the priority. APNs rejects background pushes with the default priority. */
function priorityOf(content: JsonObject, pushType: string): string {
  const given = String(member(content, 'apns-priority'))
  return /^(10|5|1)$/.test(given) ? given : pushType === 'background' ? '5' : '10'
}

/**
 * Returns the collapse id, which is at most 64 visible ASCII characters. Without one the push id is used, so that a device shows
 * a repeated push once.
 */
function collapseId(given: Json | undefined, id: string): string {
  if (typeof given !== 'string' || given === '') return id
  return /^[!-~]{1,64}$/.test(given) ? given : createHash('sha256').update(given).digest('base64url')
}

function without(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
}
