import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'

/** Replaces a secret that is set, when settings are read. Sent back, it leaves the secret unchanged. */
const SET = true

/** Returns the settings with `true` in place of each secret. `*` in a path matches any name. */
export function withoutSecrets(settings: JsonObject, paths: readonly string[]): JsonObject {
  return paths.reduce((shown, path) => changeAt(shown, path.split('.'), () => SET) as JsonObject, settings)
}

/** Removes secrets that a patch only repeats as `true`. */
export function withoutShownSecrets(patch: JsonObject, paths: readonly string[]): JsonObject {
  const keep = (value: Json) => (value === SET ? undefined : value)
  return paths.reduce((rest, path) => changeAt(rest, path.split('.'), keep) as JsonObject, patch)
}

/** Changes the values at a path; undefined removes one. */
function changeAt(value: Json, [name, ...rest]: readonly string[], change: (value: Json) => Json | undefined): Json {
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).flatMap(([key, item]): [string, Json][] => {
    if (name !== '*' && key !== name) return [[key, item]]
    const changed = rest.length > 0 ? changeAt(item, rest, change) : change(item)
    return changed === undefined ? [] : [[key, changed]]
  })
  return Object.fromEntries(entries)
}
