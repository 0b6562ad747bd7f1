/** How large a JSON text is, before it is parsed: as far as that goes beyond limits. */
export interface Extent {
  readonly tooDeep: boolean
  readonly tooMany: boolean
}

/**
 * Goes through a JSON text and ends as soon as it is beyond a limit; parsing many small values takes fifty times as long,
 * and their memory. Texts are passed over at the speed of a search. What is no JSON may be counted wrongly.
 * @param maxDepth levels of lists and objects
 * @param maxValues values at whatever depth, the names of members and the lists and objects themselves included
 */
export function extentOf(text: string, maxDepth: number, maxValues: number): Extent {
  let depth = 0
  let values = 1
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfText(text, index)
        continue
      case COMMA:
        values++
        break
      case BRACKET:
      case BRACE:
        values++
        if (++depth > maxDepth) return { tooDeep: true, tooMany: false }
        break
      case COLON:
        values++
        break
      case BRACKET_END:
      case BRACE_END:
        depth--
        continue
      default:
        continue
    }
    if (values > maxValues) return { tooDeep: false, tooMany: true }
  }
  return { tooDeep: false, tooMany: false }
}

const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const BRACKET = 91
const BRACKET_END = 93
const BRACE = 123
const BRACE_END = 125

/** Where the text ends that begins at a quotation mark; the end of everything when it does not. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
