// Also runs in browsers: the console imports the same files.

/**
 * The start of each header of an export (protocol/moving-in, JSON export). Editors and scripts change white space and letter case,
 * and a header that is taken for a comment puts the records after it into the wrong class.
 */
const HEADER_START = /^[\s\u200b-\u200d\u2060]*#\s*filetype\s*:/i
const HEADER = /^[\s\u200b-\u200d\u2060]*#\s*filetype\s*:\s*JSON-streaming\s*(\{.*\})\s*$/i
/** Characters at the end of a line in which a header is searched that follows a record without a line break. */
const MAX_HEADER = 1000
const BLANK_END = /[\s\u200b-\u200d\u2060]+$/

/** Returns whether a line is a header of an export, known or not. */
export function isHeader(line: string): boolean {
  return !line.startsWith('{') && HEADER_START.test(line)
}

/** Returns the JSON of a header, which describes the lines after it; null when it has none. */
export function contentOfHeader(line: string): string | null {
  return HEADER.exec(line)?.[1] ?? null
}

/**
 * Splits a line in which a header follows a record: the last line of the first of two joined files lacks its line break.
 * @param isJson returns whether a text is JSON
 * @returns null for any other line, also for an object whose text contains a header
 */
export function recordBeforeHeader(
  line: string,
  isJson: (text: string) => boolean,
): { readonly record: string; readonly header: string } | null {
  const start = line.indexOf('#filetype:', Math.max(1, line.length - MAX_HEADER))
  if (start < 0) return null
  const header = line.slice(start)
  if (!HEADER.test(header) || isJson(line)) return null
  const record = line.slice(0, start).replace(BLANK_END, '')
  return record === '' ? null : { record, header }
}
