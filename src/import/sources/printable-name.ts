/** Maximum characters of a path on all systems. */
const MAX_NAME = 4096

/** Returns whether a name is longer than any path can be. */
export function isTooLong(name: string): boolean {
  return name.length > MAX_NAME
}

/**
 * Returns a file name in a safe form for display: control characters, which can control a terminal, direction marks, which can
 * disguise a suffix, and line breaks, which can forge report lines, become U+FFFD. A name that is too long is truncated and
 * copied, because a substring keeps the whole string in memory.
 */
export function printableName(name: string): string {
  const shown = isTooLong(name) ? Buffer.from(`${name.slice(0, 200)}…`).toString() : name
  return shown.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu, '\ufffd')
}
