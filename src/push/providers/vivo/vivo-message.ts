import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../../../values/json.ts'
import { VIVO_CLICK_INTENT } from '../click-intent.ts'
import type { Notification } from '../provider.ts'
import {
  customKeys,
  flag,
  type IsVendors,
  integer,
  isSilent,
  like,
  list,
  object,
  text,
  vendorKeys,
  vendorNames,
} from '../vendor-keys.ts'
import { secondsToLive } from '../vendor-lifetime.ts'
import { type Failure, isFailure, refused } from '../vendor-request.ts'
import { shownText } from '../vendor-text.ts'

const LIFETIME = { min: 15 * 60, max: 7 * 24 * 60 * 60 }
/** Limits in letters; a Chinese character counts as two. */
const LIMITS = { title: 40, body: 100, width: (character: string) => (character < '\u0080' ? 1 : 2) }
const RINGS_AND_VIBRATES = 4
const OPENS_ACTIVITY = 4

/** Members of each request that are not part of the saved message. */
const SENDING = vendorNames({ pushMode: integer })

const MESSAGE = vendorNames({
  notifyType: integer,
  notifyId: integer,
  classification: integer,
  category: like(/^[A-Z_]+$/),
  skipType: integer,
  skipContent: text,
  networkType: integer,
  foregroundShow: flag,
  profileId: text,
  auditReview: list,
  // The callback URL for receipts. Any other `extra` is a custom key of the app.
  extra: (value) => object(value) && typeof (value as JsonObject).callback === 'string',
})

const isVivo: IsVendors = (name, value) => SENDING(name, value) || MESSAGE(name, value)

export interface VivoMessage {
  /** The part that is the same for all devices of the push. */
  readonly message: JsonObject
  readonly sending: JsonObject
}

/**
 * Converts a notification to a vivo Push notification. A tap opens an activity of the app, and vivo passes the custom keys.
 * @returns a rejection for a silent push: vivo does not support pass-through (protocol/push, Vendor channels)
 */
export function vivoMessage(notification: Notification, now: number): VivoMessage | Failure {
  const { content, expiresAt } = notification
  if (isSilent(notification)) return refused('vivo does not support silent pushes')
  const shown = shownText(content, LIMITS)
  if (isFailure(shown)) return shown
  const seconds = secondsToLive(expiresAt, LIFETIME, now)
  const message = {
    title: shown.title,
    content: shown.body,
    notifyType: RINGS_AND_VIBRATES,
    skipType: OPENS_ACTIVITY,
    skipContent: VIVO_CLICK_INTENT,
    clientCustomMap: asTexts(customKeys(notification, isVivo)),
    ...(seconds !== null && { timeToLive: seconds }),
    ...vendorKeys(content, MESSAGE),
  }
  return { message, sending: vendorKeys(content, SENDING) }
}

/** Returns the id of a request, at most 64 characters: the same for the same push to the same devices. */
export function vivoRequestId(pushId: string, tokens: readonly string[]): string {
  return createHash('sha256')
    .update(`${pushId} ${tokens.join(' ')}`)
    .digest('hex')
    .slice(0, 32)
}

/** Serializes values that are not strings, because vivo accepts only strings. */
function asTexts(custom: JsonObject): JsonObject {
  const asText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))
  return Object.fromEntries(Object.entries(custom).map(([name, value]) => [name, asText(value)] as const))
}
