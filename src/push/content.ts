import { isJsonObject, type JsonObject } from '../values/json.ts'
import { VENDORS, type Vendor } from './providers/all.ts'

export type Platform = 'ios' | 'android' | Vendor

/** Members of `data` that are for devices of one platform only (protocol/push, Content by platform). */
export const PLATFORMS: readonly Platform[] = ['ios', 'android', ...VENDORS.map(({ name }) => name)]

const PLATFORM_NAMES: ReadonlySet<string> = new Set(PLATFORMS)

/**
 * What devices of one platform get of `data`: the common members, and over them those of the platform's own object.
 * For a vendor's devices the object `android` counts too, below the vendor's own.
 */
export function contentFor(data: JsonObject, platform: Platform): JsonObject {
  const common = Object.entries(data).filter(([name]) => !isPlatformPart(data, name))
  const names: readonly Platform[] = platform === 'ios' || platform === 'android' ? [platform] : ['android', platform]
  const own = names.flatMap((name) => (isPlatformPart(data, name) ? Object.entries(data[name] as JsonObject) : []))
  return Object.fromEntries([...common, ...own])
}

/** Whether there is something for single platforms, which then is not shown as a text for all. */
export function hasPlatformParts(data: JsonObject): boolean {
  return PLATFORMS.some((name) => isPlatformPart(data, name))
}

/** A text under a platform's name is a custom value like any other. */
function isPlatformPart(data: JsonObject, name: string): boolean {
  return PLATFORM_NAMES.has(name) && isJsonObject(data[name])
}
