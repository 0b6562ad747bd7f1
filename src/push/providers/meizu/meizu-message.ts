import { createHash } from 'node:crypto'
import { type Json, type JsonObject, member } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'
import { customKeys, isSilent, object, vendorKeys, vendorNames } from '../vendor-keys.ts'
import { secondsToLive } from '../vendor-lifetime.ts'
import { type Failure, isFailure, refused } from '../vendor-request.ts'
import { shownText } from '../vendor-text.ts'

const HOUR = 60 * 60
const LIFETIME = { min: HOUR, max: 72 * HOUR }
const DEFAULT_HOURS = 24
const LIMITS = { title: 32, body: 100 }

const isMeizu = vendorNames({
  noticeBarInfo: object,
  noticeExpandInfo: object,
  clickTypeInfo: object,
  pushTimeInfo: object,
  advanceInfo: object,
  // The callback URL for receipts. Any other `extra` is a custom key of the app.
  extra: (value) => object(value) && typeof (value as JsonObject).callback === 'string',
})

/**
 * Converts a notification to a Flyme Push message (`messageJson`). A tap opens the app and passes the custom keys. Only the last
 * notification with the same key is shown, so a repeated push is shown once.
 * @returns a rejection for a silent push: Meizu does not support pass-through (protocol/push, Vendor channels)
 */
export function meizuMessage(notification: Notification, now: number): JsonObject | Failure {
  const { content, id, expiresAt } = notification
  if (isSilent(notification)) return refused('Meizu does not support silent pushes')
  const shown = shownText(content, LIMITS)
  if (isFailure(shown)) return shown
  const seconds = secondsToLive(expiresAt, LIFETIME, now)
  const own = vendorKeys(content, isMeizu)
  const merged = (name: string, members: JsonObject) => ({ [name]: { ...members, ...objectOf(member(own, name)) } })
  return {
    ...own,
    ...merged('noticeBarInfo', { title: shown.title, content: shown.body }),
    ...merged('clickTypeInfo', { clickType: 0, parameters: customKeys(notification, isMeizu) }),
    ...merged('pushTimeInfo', { offLine: 1, validTime: seconds === null ? DEFAULT_HOURS : Math.ceil(seconds / HOUR) }),
    ...merged('advanceInfo', { notifyKey: notifyKey(id) }),
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return (value ?? {}) as JsonObject
}

/** Returns a key of eight letters, digits, `-` or `_`, which is the maximum length; so the push id itself cannot be used. */
function notifyKey(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 8)
}
