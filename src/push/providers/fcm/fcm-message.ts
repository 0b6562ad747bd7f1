import { isJsonObject, type Json, type JsonObject } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'

/** Keys that are converted, or are for this server. */
const NOTIFICATION_KEYS = ['alert', 'title', 'silent', '_notificationChannel', '_channel']
/** Members of an FCM message. As objects they are passed to FCM. `android` can only come from the object `fcm`. */
const FCM_OBJECTS = ['notification', 'android', 'fcm_options']

/** Maximum lifetime in seconds that FCM accepts. */
const MAX_TTL = 28 * 86_400

/**
 * Converts a notification to an FCM message (HTTP v1), without the token. `data.payload` is a JSON text for the app
 * (protocol/push, Vendor channels); without a notification it includes the texts.
 * @param now milliseconds since the epoch
 */
export function fcmMessage({ id, content, expiresAt, channel }: Notification, now: number): JsonObject {
  const shown = content.silent !== true
  const isFcms = (key: string) => FCM_OBJECTS.includes(key) && isJsonObject(content[key])
  const isPriority = (key: string) => key === 'priority' && priorityOf(content[key]) !== null
  const custom = Object.entries(content).filter(
    ([key]) => !(NOTIFICATION_KEYS.includes(key) || isFcms(key) || isPriority(key)),
  )
  const payload = {
    ...(channel !== null && { _channel: channel }),
    ...(!shown && textsOf(content, 'alert')),
    ...Object.fromEntries(custom),
  }
  const notification = shown ? { ...textsOf(content, 'body'), ...objectAt(content, 'notification') } : {}
  const android = objectAt(content, 'android')
  const isNotification = Object.keys(notification).length > 0
  return {
    ...(isNotification && { notification }),
    data: { payload: JSON.stringify(payload) },
    android: {
      priority: priorityOf(content.priority) ?? 'high',
      ...(expiresAt !== null && { ttl: `${ttl(expiresAt, now)}s` }),
      // FCM stores at most four messages with collapse keys for an offline device, so messages without a notification have none.
      ...(isNotification && { collapse_key: id }),
      ...android,
      ...(isNotification && {
        notification: { ...ownNotification(content, id), ...objectAt(android, 'notification') },
      }),
    },
    ...(isFcms('fcm_options') && { fcm_options: content.fcm_options! }),
  }
}

/** Returns the Android notification. By its tag, a device shows a repeated push once. */
function ownNotification({ _notificationChannel: channel }: JsonObject, id: string): JsonObject {
  return { tag: id, ...(typeof channel === 'string' && { channel_id: channel }) }
}

function textsOf({ alert, title }: JsonObject, alertName: 'alert' | 'body'): JsonObject {
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof alert === 'string' && { [alertName]: alert }),
  }
}

/** Parses a priority. Any other value is a custom key of the app. */
function priorityOf(priority: Json | undefined): 'high' | 'normal' | null {
  const given = typeof priority === 'string' ? priority.toLowerCase() : ''
  return given === 'high' || given === 'normal' ? given : null
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key]
  return isJsonObject(value) ? value : {}
}

function ttl(expiresAt: number, now: number): number {
  return Math.min(MAX_TTL, Math.max(0, Math.ceil((expiresAt - now) / 1000)))
}
