import { errors } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject, shown } from '../../values/json.ts'
import { contentFor, PLATFORMS, type Platform } from '../content.ts'

/** The device type of all devices of a push, or `any`. */
export type DeviceType = 'ios' | 'android' | 'any'

const ANDROID: readonly Platform[] = PLATFORMS.filter((platform) => platform !== 'ios')

/**
 * Rejects content that no device of the push could show. Only the type can be checked, because the devices that match a condition
 * are not known in advance (protocol/push, Content).
 * @param platforms the platforms of the devices, if they are known more precisely than by type
 * @throws ApiError 1
 */
export function checkContent(data: JsonObject, type: DeviceType, platforms = ANDROID): void {
  checkAlert(data.alert, 'data.alert')
  for (const platform of ANDROID) {
    const part = data[platform]
    if (isJsonObject(part) && isJsonObject(part.alert))
      throw errors.badArgument(`'data.${platform}.alert' must be a string; an object is for iOS.`)
  }
  if (type === 'android') {
    if (!platforms.some((platform) => isShowable(contentFor(data, platform), platform))) throw noAlert(data)
    return
  }
  const content = contentFor(data, 'ios')
  checkAlert(content.alert, 'data.ios.alert')
  if (type === 'ios') checkBadge(isJsonObject(content.aps) ? content.aps.badge : content.badge)
}

function checkAlert(alert: Json | undefined, name: string): void {
  if (alert !== undefined && alert !== null && typeof alert !== 'string' && !isJsonObject(alert))
    throw errors.badArgument(`'${name}' must be a string, or an object for iOS, not ${shown(alert)}.`)
}

function checkBadge(badge: Json | undefined): void {
  if (badge !== undefined && badge !== null && typeof badge !== 'number' && badge !== 'Increment')
    throw errors.badArgument(`'badge' must be a number or 'Increment', not ${shown(badge)}.`)
}

/**
 * Returns whether a platform can show the content: a text is required unless the push is silent (protocol/push, Content for
 * the built-in push channel). HMS also accepts messages in its own format.
 */
function isShowable(content: JsonObject, platform: Platform): boolean {
  const hasText = typeof content.alert === 'string' && content.alert !== ''
  return hasText || content.silent === true || (platform === 'hms' && isJsonObject(content.message))
}

function noAlert({ alert }: JsonObject) {
  return errors.badArgument(
    isJsonObject(alert)
      ? "'data.alert' must be a string for Android devices; an object is for iOS."
      : "'data.alert' is missing: Android devices require a string, or 'silent': true.",
  )
}
