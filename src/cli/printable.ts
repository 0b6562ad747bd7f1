/**
 * Replaces control characters and direction marks with U+FFFD, so that names and values of a source cannot control a terminal.
 * Line breaks are kept.
 */
export function printable(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, '\ufffd')
}
