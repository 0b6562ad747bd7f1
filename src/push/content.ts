import { isJsonObject, type JsonObject } from '../values/json.ts'
import { VENDORS, type Vendor } from './providers/all.ts'

export type Platform = 'ios' | 'android' | Vendor

/** Members of `data` that apply to devices of one platform only (protocol/push, Content by platform). */
export const PLATFORMS: readonly Platform[] = ['ios', 'android', ...VENDORS.map(({ name }) => name)]

const PLATFORM_NAMES: ReadonlySet<string> = new Set(PLATFORMS)

/**
 * Returns the content for devices of one platform: the common members of `data`, overridden by the platform's own object. Vendor
 * devices get the object `android` too, overridden by the vendor's.
 */
export function contentFor(data: JsonObject, platform: Platform): JsonObject {
  const common = Object.entries(data).filter(([name]) => !isPlatformPart(data, name))
  const names: readonly Platform[] = platform === 'ios' || platform === 'android' ? [platform] : ['android', platform]
  const own = names.flatMap((name) => (isPlatformPart(data, name) ? Object.entries(data[name] as JsonObject) : []))
  return Object.fromEntries([...common, ...own])
}

/** Returns whether `data` has content for single platforms. The common text is then not shown as the text for all. */
export function hasPlatformParts(data: JsonObject): boolean {
  return PLATFORMS.some((name) => isPlatformPart(data, name))
}

/** Returns whether a member is a platform's object. A text under a platform's name is a custom value. */
function isPlatformPart(data: JsonObject, name: string): boolean {
  return PLATFORM_NAMES.has(name) && isJsonObject(data[name])
}
