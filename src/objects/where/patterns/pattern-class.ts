import { casedIn, foldCase } from './case-folding.ts'
import { type CharacterSet, characterSet, complement, ESCAPED_SETS, NAMED_SETS, type Range } from './character-set.ts'
import type { PatternCursor } from './pattern-cursor.ts'

const CONTROLS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7, e: 27, 0: 0 }
const HEXADECIMAL = /(?:x\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/y
const NAMED = /\[:(\^?)([a-z]+):\]/y
const LETTER_OR_DIGIT = /^[A-Za-z0-9]$/
const LAST_CODE = 0x10ffff

/**
 * Parses the text after a backslash, inside or outside a class: a character, or a set such as `\d`.
 * @throws ApiError 102 for an unsupported escape
 */
export function readEscape(cursor: PatternCursor): number | CharacterSet {
  const hexadecimal = cursor.eatMatch(HEXADECIMAL)
  if (hexadecimal !== null) {
    const code = Number.parseInt(hexadecimal[1] ?? hexadecimal[2] ?? hexadecimal[3]!, 16)
    if (code > LAST_CODE || (code >= 0xd800 && code <= 0xdfff)) {
      cursor.fail(`has the escape '\\${hexadecimal[0]}', which is not a Unicode character`)
    }
    return code
  }
  const letter = cursor.take()
  if (Object.hasOwn(ESCAPED_SETS, letter)) return ESCAPED_SETS[letter]!
  if (Object.hasOwn(CONTROLS, letter)) return CONTROLS[letter]!
  if (LETTER_OR_DIGIT.test(letter)) cursor.fail(`has the escape '\\${letter}', which is not supported`)
  return letter.codePointAt(0)!
}

/**
 * Parses a class such as `[^a-z\d]`, after its opening bracket.
 * @param ignoreCase whether its characters and ranges also match their other cases
 * @throws ApiError 102 when it is not closed or has a range out of order
 */
export function readClass(cursor: PatternCursor, ignoreCase: boolean): CharacterSet {
  const negated = cursor.eat('^')
  const ranges: Range[] = []
  const sets: Range[] = []
  for (let first = true; first || cursor.peek() !== ']'; first = false) {
    const item = readItem(cursor)
    if (typeof item !== 'number') sets.push(...item)
    else ranges.push([item, readRangeEnd(cursor, item)])
  }
  cursor.take()
  if (ignoreCase) cursor.countFolded(casedIn(ranges))
  const set = characterSet([...(ignoreCase ? foldCase(ranges) : ranges), ...sets])
  return negated ? complement(set) : set
}

/** Returns the end of the range that begins with `first`, or `first` itself for a single character. */
function readRangeEnd(cursor: PatternCursor, first: number): number {
  if (!cursor.sees('-') || cursor.sees('-]')) return first
  cursor.take()
  const last = readItem(cursor)
  if (typeof last !== 'number') cursor.fail("has a range in '[]' that ends with a set of characters")
  if (last < first) cursor.fail("has a range in '[]' that is out of order")
  return last
}

function readItem(cursor: PatternCursor): number | CharacterSet {
  if (cursor.done) cursor.fail("has a '[' without its ']'")
  const named = cursor.eatMatch(NAMED)
  if (named !== null) {
    const set = Object.hasOwn(NAMED_SETS, named[2]!)
      ? NAMED_SETS[named[2]!]!
      : cursor.fail(`has '${named[0]}', which is unknown`)
    return named[1] === '^' ? complement(set) : set
  }
  if (!cursor.eat('\\')) return cursor.take().codePointAt(0)!
  return cursor.eat('b') ? 8 : readEscape(cursor)
}
