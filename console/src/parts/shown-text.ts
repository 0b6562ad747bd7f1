/**
 * Returns any stored value as text: clients can store another type than expected, and objects whose own member is `toString`.
 * @returns '' for null and undefined, JSON for objects and lists
 */
export function shownText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  try {
    return JSON.stringify(value)
  } catch {
    // Nested too deeply.
    return '…'
  }
}

/** Returns the texts of a list as one text; for other values their text. */
export function shownList(value: unknown): string {
  return Array.isArray(value) ? value.map(shownText).join(', ') : shownText(value)
}
