import { isJsonObject, type JsonObject, member } from '../../../values/json.ts'
import { clickIntent } from '../click-intent.ts'
import type { Notification } from '../provider.ts'
import {
  customKeys,
  deviceChannel,
  flag,
  integer,
  isSilent,
  like,
  list,
  object,
  passThroughKeys,
  text,
  vendorKeys,
  vendorNames,
} from '../vendor-keys.ts'
import { secondsToLive } from '../vendor-lifetime.ts'
import { type Failure, isFailure } from '../vendor-request.ts'
import { shownText } from '../vendor-text.ts'

const LIFETIME = { min: 1, max: 15 * 24 * 60 * 60 }
/** HMS limits only the whole message, to 4096 bytes. */
const UNLIMITED = { title: Number.POSITIVE_INFINITY, body: Number.POSITIVE_INFINITY }

/** Members of `AndroidConfig`. */
const CONTROL = vendorNames({
  bi_tag: text,
  category: like(/^[A-Z_]+$/),
  collapse_key: integer,
  fast_app_target: integer,
  receipt_id: text,
  target_user_type: integer,
  urgency: like(/^(HIGH|NORMAL)$/),
})

/** Members of `AndroidNotification`. */
const DISPLAY = vendorNames({
  icon: like(/^\//),
  color: like(/^#[0-9A-Fa-f]{6}$/),
  sound: like(/^\//),
  default_sound: flag,
  tag: text,
  click_action: object,
  body_loc_key: text,
  body_loc_args: list,
  title_loc_key: text,
  title_loc_args: list,
  multi_lang_key: object,
  channel_id: text,
  notify_summary: text,
  image: like(/^https:/),
  style: integer,
  big_title: text,
  big_body: text,
  notify_id: integer,
  group: text,
  badge: object,
  ticker: text,
  when: like(/^\d{4}-/),
  importance: like(/^(LOW|NORMAL|HIGH)$/),
  use_default_vibrate: flag,
  use_default_light: flag,
  vibrate_config: list,
  visibility: like(/^[A-Z_]+$/),
  light_settings: object,
  foreground_show: flag,
  profile_id: text,
  inbox_content: list,
  buttons: list,
})

const isHms = (name: string, value: JsonObject[string]) => CONTROL(name, value) || DISPLAY(name, value)

/**
 * Converts a notification to an HMS message without its targets: the raw `message` of the content if present, else a
 * notification, or data for the app when it is silent (protocol/push, Vendor channels). On the device, messages replace earlier
 * ones with the same tag, so a repeated push is shown once.
 */
export function hmsMessage(notification: Notification, clickHost: string, now: number): JsonObject | Failure {
  const { content, id, expiresAt } = notification
  const raw = member(content, 'message')
  if (isJsonObject(raw)) return withoutTargets(raw)
  const seconds = secondsToLive(expiresAt, LIFETIME, now)
  const control = { ...(seconds !== null && { ttl: `${seconds}s` }), ...vendorKeys(content, CONTROL) }
  if (isSilent(notification)) {
    return { data: JSON.stringify(passThroughKeys(notification, isHms)), android: control }
  }
  const shown = shownText(content, UNLIMITED)
  if (isFailure(shown)) return shown
  const channel = deviceChannel(notification)
  const display = {
    title: shown.title,
    body: shown.body,
    tag: id,
    ...(channel !== undefined && { channel_id: channel }),
    click_action: { type: 1, intent: clickIntent(clickHost, customKeys(notification, isHms)) },
    ...vendorKeys(content, DISPLAY),
  }
  return { android: { ...control, notification: display } }
}

/** Removes the targets of a raw message. HMS accepts one kind of targets, which here is tokens. */
function withoutTargets({ token: _token, topic: _topic, condition: _condition, ...message }: JsonObject): JsonObject {
  return message
}
