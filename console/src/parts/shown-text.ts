/**
 * Returns any value of stored data as text: clients may have stored another type than a page expects, and objects whose
 * `toString` is a member of their own.
 * @returns '' for null and undefined, JSON for objects and lists
 */
export function shownText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  try {
    return JSON.stringify(value)
  } catch {
    // Too deep to be written.
    return '…'
  }
}

/** Returns the texts of a list as one text; of anything else its text. */
export function shownList(value: unknown): string {
  return Array.isArray(value) ? value.map(shownText).join(', ') : shownText(value)
}
