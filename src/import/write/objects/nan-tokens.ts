import { endOfText } from './inexact-integers.ts'

const TOKENS = ['NaN', 'Infinity'] as const
const QUOTE = 34

/**
 * Replaces `NaN` and `Infinity`, which some programs write although JSON has no such tokens, with a number that is too large. It
 * is parsed as infinite, and stored as null like any other number out of range. Strings are unchanged.
 */
export function withNumbersForNaN(json: string): string {
  if (!TOKENS.some((token) => json.includes(token))) return json
  let result = ''
  let copied = 0
  for (let index = 0; index < json.length; ) {
    if (json.charCodeAt(index) === QUOTE) {
      index = endOfText(json, index)
      continue
    }
    const token = TOKENS.find((one) => json.startsWith(one, index))
    if (!token) {
      index++
      continue
    }
    result += `${json.slice(copied, index)}1e999`
    index += token.length
    copied = index
  }
  return result + json.slice(copied)
}
