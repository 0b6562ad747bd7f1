import type { JsonObject } from '../../../values/json.ts'
import { clickIntent } from '../click-intent.ts'
import type { Notification } from '../provider.ts'
import {
  customKeys,
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
/** Honor limits only the whole message. */
const UNLIMITED = { title: Number.POSITIVE_INFINITY, body: Number.POSITIVE_INFINITY }

/** Members of `AndroidConfig`. */
const CONTROL = vendorNames({ biTag: text, targetUserType: integer })

/** Members of `AndroidNotification`. */
const DISPLAY = vendorNames({
  clickAction: object,
  image: like(/^https:/),
  style: integer,
  bigTitle: text,
  bigBody: text,
  importance: like(/^(LOW|NORMAL)$/),
  when: like(/^\d{4}-/),
  buttons: list,
  badge: object,
  notifyId: integer,
  tag: text,
  group: text,
})

const isHonor = (name: string, value: JsonObject[string]) => CONTROL(name, value) || DISPLAY(name, value)

/**
 * Converts a notification to an Honor message without its tokens: a notification, or data for the app when it is silent
 * (protocol/push, Vendor channels). On the device, messages replace earlier ones with the same tag, so a repeated push is shown
 * once.
 */
export function honorMessage(notification: Notification, clickHost: string, now: number): JsonObject | Failure {
  const { content, id, expiresAt } = notification
  const seconds = secondsToLive(expiresAt, LIFETIME, now)
  const control = { ...(seconds !== null && { ttl: `${seconds}s` }), ...vendorKeys(content, CONTROL) }
  if (isSilent(notification)) {
    return { data: JSON.stringify(passThroughKeys(notification, isHonor)), android: control }
  }
  const shown = shownText(content, UNLIMITED)
  if (isFailure(shown)) return shown
  const display = {
    title: shown.title,
    body: shown.body,
    tag: id,
    clickAction: { type: 1, intent: clickIntent(clickHost, customKeys(notification, isHonor)) },
    ...vendorKeys(content, DISPLAY),
  }
  return { android: { ...control, notification: display } }
}
