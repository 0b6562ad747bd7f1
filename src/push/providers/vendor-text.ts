import { type JsonObject, member } from '../../values/json.ts'
import { type Failure, refused } from './vendor-request.ts'

export interface ShownText {
  readonly title: string
  readonly body: string
}

/** Maximum lengths of a vendor. */
export interface TextLimits {
  readonly title: number
  readonly body: number
  /** Returns the length of a character; by default in UTF-16 units. */
  readonly width?: (character: string) => number
}

/**
 * Returns the title and text that a notification shows. Most vendors require a title, and none accepts an empty text, so the
 * alert replaces a missing title and the title a missing alert. Texts that are too long are cut, because the vendor would reject
 * the message, and notification bars show no more.
 */
export function shownText(content: JsonObject, { title, body, width = units }: TextLimits): ShownText | Failure {
  const [alert, heading] = [textOf(content, 'alert'), textOf(content, 'title')]
  const shown = alert || heading
  if (!shown) return refused("the push must have a string 'alert' or a 'title'")
  return { title: shortened(heading || shown, title, width), body: shortened(shown, body, width) }
}

function textOf(content: JsonObject, name: string): string {
  const value = member(content, name)
  return typeof value === 'string' ? value.trim() : ''
}

function shortened(text: string, limit: number, width: (character: string) => number): string {
  const characters = [...text]
  let used = 0
  let fitting = 0
  for (const [index, character] of characters.entries()) {
    used += width(character)
    if (used > limit) return `${characters.slice(0, fitting).join('')}…`
    if (used + width('…') <= limit) fitting = index + 1
  }
  return text
}

function units(character: string): number {
  return character.length
}
