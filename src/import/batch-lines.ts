import type { Batch, Item } from './batch.ts'

/** The type of a batch as lines. */
export const BATCH_LINES = 'application/x-ndjson'

/**
 * A batch as lines: what it is, then its records. A record of which there is nothing to say but where it stood is
 * that number, a space and its text as it is: to quote a megabyte, and to read it twice, costs as much as to store it.
 */
export function linesOf({ items, ...head }: Batch): string {
  let lines = `${JSON.stringify(head)}\n`
  for (const item of items) lines += isPlain(item) ? `${item.at} ${item.text}\n` : `${JSON.stringify(item)}\n`
  return lines
}

function isPlain({ text, notes, reason }: Item): boolean {
  return notes === undefined && reason === undefined && !text.includes('\n')
}

/**
 * The parts of a batch that came as lines.
 * @param most records that it may have
 * @returns the head as it came, the plain records, and what else there is at its place among them, as it came; null for
 *   what is no batch, or has more records
 */
export function partsOfLines(
  text: string,
  most: number,
): { readonly head: string; readonly items: (Item | string)[] } | null {
  let end = text.indexOf('\n')
  if (end < 0) return null
  const head = text.slice(0, end)
  const items: (Item | string)[] = []
  for (let start = end + 1; start < text.length; start = end + 1) {
    end = text.indexOf('\n', start)
    if (end < 0 || items.length === most) return null
    const item = text.startsWith('{', start) ? text.slice(start, end) : plainItem(text, start, end)
    if (item === null) return null
    items.push(item)
  }
  return { head, items }
}

/** Digits of the number of a record. */
const MOST_DIGITS = 15

function plainItem(text: string, start: number, end: number): Item | null {
  const space = text.indexOf(' ', start)
  const digits = text.slice(start, space)
  if (space < 0 || space > end || digits.length > MOST_DIGITS || !/^\d+$/.test(digits)) return null
  return { at: Number(digits), text: text.slice(space + 1, end) }
}
