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

const LIFETIME = { least: 15 * 60, most: 7 * 24 * 60 * 60 }
/** Counted in letters; a Chinese character counts as two. */
const LIMITS = { title: 40, body: 100, width: (character: string) => (character < '\u0080' ? 1 : 2) }
const RINGS_AND_VIBRATES = 4
const OPENS_ACTIVITY = 4

/** What is said with each request, and is not part of the message that is saved for many. */
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
  // The address for receipts; another `extra` is the app's own.
  extra: (value) => object(value) && typeof (value as JsonObject).callback === 'string',
})

const isVivo: IsVendors = (name, value) => SENDING(name, value) || MESSAGE(name, value)

export interface VivoMessage {
  /** As it is the same for all devices of the push. */
  readonly message: JsonObject
  readonly sending: JsonObject
}

/**
 * The notification of vivo Push; a click opens an activity of the app, and vivo hands it the custom keys.
 * @returns a refusal when it is silent: nothing passes through (protocol/push, Vendor channels)
 */
export function vivoMessage(notification: Notification, now: number): VivoMessage | Failure {
  const { content, expiresAt } = notification
  if (isSilent(notification)) return refused('vivo cannot pass messages through: a silent push is dropped')
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

/** The id of a request: the same for the same push to the same devices, at most 64 characters. */
export function vivoRequestId(pushId: string, tokens: readonly string[]): string {
  return createHash('sha256')
    .update(`${pushId} ${tokens.join(' ')}`)
    .digest('hex')
    .slice(0, 32)
}

/** Values are texts; others are sent as JSON. */
function asTexts(custom: JsonObject): JsonObject {
  const asText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))
  return Object.fromEntries(Object.entries(custom).map(([name, value]) => [name, asText(value)] as const))
}
