export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [name: string]: Json
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value at a path; undefined when missing. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, name) => (isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined),
    value,
  )
}

/** Returns a patch (RFC 7396) with a changed setting; null resets it. */
export function withChange(patch: JsonObject, [name, ...rest]: readonly string[], value: Json): JsonObject {
  if (name === undefined) throw new Error('The path of a setting must not be empty.')
  const below = Object.hasOwn(patch, name) ? patch[name] : undefined
  const changed = rest.length === 0 ? value : withChange(isObject(below) ? below : {}, rest, value)
  return { ...patch, [name]: changed }
}

/** Returns a patch without a setting, and without parents that become empty. */
export function withoutChange(patch: JsonObject, [name, ...rest]: readonly string[]): JsonObject {
  if (name === undefined || !Object.hasOwn(patch, name)) return patch
  const { [name]: below, ...others } = patch
  if (rest.length === 0 || !isObject(below)) return others
  const left = withoutChange(below, rest)
  return Object.keys(left).length === 0 ? others : { ...others, [name]: left }
}

/** Applies a patch to settings. */
export function merged(settings: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const result = new Map<string, Json>(isObject(settings) ? Object.entries(settings) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name)
    else result.set(name, merged(result.get(name), value))
  }
  return Object.fromEntries(result)
}

/** Returns the number of settings in a patch. */
export function changesIn(patch: Json): number {
  if (!isObject(patch)) return 1
  const below = Object.values(patch)
  return below.length === 0 ? 1 : below.reduce<number>((sum, value) => sum + changesIn(value), 0)
}

export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/**
 * Parses the server's errors of a rejected patch by setting: `Invalid settings. a.b: must be …; c: must be …`.
 * @returns errors by path with dots; the empty path for other errors
 */
export function refusals(message: string): ReadonlyMap<string, string> {
  const parts = message.replace(/^Invalid settings\. /, '').split(/; (?=[\w$*-]+(?:\.[^\s:]+)*: )/)
  return new Map(
    parts.map((part) => {
      const said = /^([\w$*-]+(?:\.[^\s:]+)*): (.*)$/s.exec(part)
      return said ? [said[1]!, said[2]!] : ['', part]
    }),
  )
}
