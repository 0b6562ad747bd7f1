import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'
import {
  customKeys,
  deviceChannel,
  flag,
  integer,
  isSilent,
  like,
  object,
  text,
  vendorKeys,
  vendorNames,
} from '../vendor-keys.ts'
import { secondsToLive } from '../vendor-lifetime.ts'
import { type Failure, isFailure, refused } from '../vendor-request.ts'
import { shownText } from '../vendor-text.ts'

const LIFETIME = { min: 60 * 60, max: 10 * 24 * 60 * 60 }
const TITLE_LIMIT = 50
/** The style for long texts, which has a higher limit. */
const LONG_TEXT = 2
const BODY_LIMIT = 50
const LONG_BODY_LIMIT = 128

const isOppo = vendorNames({
  style: integer,
  sub_title: text,
  small_picture_id: text,
  big_picture_id: text,
  click_action_type: integer,
  click_action_activity: text,
  click_action_url: text,
  action_parameters: (value) => text(value) || object(value),
  show_time_type: integer,
  show_start_time: integer,
  show_end_time: integer,
  off_line: flag,
  time_zone: like(/^GMT/),
  call_back_url: like(/^https?:/),
  call_back_parameter: text,
  channel_id: text,
  show_ttl: integer,
  notify_id: integer,
  category: like(/^[A-Z_]+$/),
  notify_level: integer,
  private_msg_template_id: text,
  private_title_parameters: object,
  private_content_parameters: object,
})

/**
 * Converts a notification to an OPPO Push notification, the same for all devices. A tap opens the app and passes the custom keys.
 * @returns a rejection for a silent push: OPPO does not support pass-through (protocol/push, Vendor channels)
 */
export function oppoMessage(notification: Notification, now: number): JsonObject | Failure {
  const { content, expiresAt } = notification
  if (isSilent(notification)) return refused('OPPO does not support silent pushes')
  const body = content.style === LONG_TEXT ? LONG_BODY_LIMIT : BODY_LIMIT
  const shown = shownText(content, { title: TITLE_LIMIT, body })
  if (isFailure(shown)) return shown
  const seconds = secondsToLive(expiresAt, LIFETIME, now)
  const channel = deviceChannel(notification)
  return {
    style: 1,
    title: shown.title,
    content: shown.body,
    click_action_type: 0,
    action_parameters: JSON.stringify(customKeys(notification, isOppo)),
    ...(seconds !== null && { off_line: true, off_line_ttl: seconds }),
    ...(channel !== undefined && { channel_id: channel }),
    ...asTexts(vendorKeys(content, isOppo)),
  }
}

/**
 * Returns the message id for a device. OPPO sends each id only once over all devices, so every device of a push needs its own.
 */
export function oppoMessageId(pushId: string, token: string): string {
  return createHash('sha256').update(`${pushId} ${token}`).digest('hex').slice(0, 32)
}

/** Serializes the action parameters, which OPPO expects as JSON text. */
function asTexts({ action_parameters: parameters, ...members }: JsonObject): JsonObject {
  if (parameters === undefined) return members
  return { ...members, action_parameters: typeof parameters === 'string' ? parameters : JSON.stringify(parameters) }
}
