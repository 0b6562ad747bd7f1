/** Characters of a path that any system can have. */
const MAX_NAME = 4096

/** Whether a name is longer than any path can be. */
export function isTooLong(name: string): boolean {
  return name.length > MAX_NAME
}

/**
 * A file name as it can be shown: without control characters, which steer a terminal, direction marks, which disguise an
 * ending, and line breaks, which forge lines of a report. Each becomes U+FFFD. A name that is too long is shortened, as a copy:
 * a part of a text keeps the whole text in memory.
 */
export function printableName(name: string): string {
  const shown = isTooLong(name) ? Buffer.from(`${name.slice(0, 200)}…`).toString() : name
  return shown.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu, '\ufffd')
}
