type Members = { readonly [name: string]: unknown }

/** Deeper values are treated as new. */
const MAX_DEPTH = 300

/**
 * Returns new JSON with its equal parts replaced by those of the previous JSON, so that components that show them are not
 * rendered again. Only own members are read and written, whatever their names: the library's own function would make the member
 * `__proto__` of stored data the prototype of the copy.
 */
export function shareEqual(before: unknown, after: unknown, depth = 0): unknown {
  if (before === after || depth > MAX_DEPTH) return after
  if (Array.isArray(before) && Array.isArray(after)) {
    const shared = after.map((item, index) => shareEqual(before[index], item, depth + 1))
    return shared.length === before.length && shared.every((item, index) => item === before[index]) ? before : shared
  }
  if (!isMembers(before) || !isMembers(after)) return after
  const shared = Object.entries(after).map(([name, value]): [string, unknown] => [
    name,
    Object.hasOwn(before, name) ? shareEqual(before[name], value, depth + 1) : value,
  ])
  const isEqual =
    shared.length === Object.keys(before).length &&
    shared.every(([name, value]) => Object.hasOwn(before, name) && before[name] === value)
  return isEqual ? before : Object.fromEntries(shared)
}

/** Returns whether a value is a plain object: others, such as maps, are not JSON and are returned unchanged. */
function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
