/** Code points from first to last, inclusive. */
export type Range = readonly [first: number, last: number]

/** Ranges in ascending order that neither overlap nor touch. */
export type CharacterSet = readonly Range[]

/** Text never contains NUL, and PostgreSQL's patterns cannot contain it either. */
const FIRST_CODE = 1
const LAST_CODE = 0x10ffff

/** Sorts ranges and joins those that overlap or touch; NUL is dropped. */
export function characterSet(ranges: readonly Range[]): CharacterSet {
  const joined: [number, number][] = []
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (last < FIRST_CODE) continue
    const previous = joined.at(-1)
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last)
    else joined.push([Math.max(first, FIRST_CODE), last])
  }
  return joined
}

/** Returns all characters that are not in the set. */
export function complement(set: CharacterSet): CharacterSet {
  const gaps: Range[] = []
  let next = FIRST_CODE
  for (const [first, last] of set) {
    if (first > next) gaps.push([next, first - 1])
    next = last + 1
  }
  if (next <= LAST_CODE) gaps.push([next, LAST_CODE])
  return gaps
}

const set = (...ranges: readonly (string | Range)[]): CharacterSet =>
  characterSet(ranges.map((range) => (typeof range === 'string' ? [range.charCodeAt(0), range.charCodeAt(1)] : range)))

export const ANY: CharacterSet = complement([])
export const NOT_NEWLINE: CharacterSet = complement(set('\n\n'))

const DIGIT = set('09')
const WORD = set('09', 'AZ', 'az', '__')
const SPACE = set([9, 13], '  ')

/** The sets of `\d`, `\w`, `\s` and their negations: ASCII characters, as in PCRE without UCP. */
export const ESCAPED_SETS: Readonly<Record<string, CharacterSet>> = {
  d: DIGIT,
  D: complement(DIGIT),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
}

/** The names allowed in `[[:name:]]`. */
export const NAMED_SETS: Readonly<Record<string, CharacterSet>> = {
  alnum: set('09', 'AZ', 'az'),
  alpha: set('AZ', 'az'),
  ascii: set([0, 127]),
  blank: set('\t\t', '  '),
  cntrl: set([0, 31], [127, 127]),
  digit: DIGIT,
  graph: set('!~'),
  lower: set('az'),
  print: set(' ~'),
  punct: set('!/', ':@', '[`', '{~'),
  space: SPACE,
  upper: set('AZ'),
  word: WORD,
  xdigit: set('09', 'AF', 'af'),
}
