import { type CharacterSet, characterSet, type Range } from './character-set.ts'

/**
 * The blocks of characters with upper or lower case. Most others, above all ideographs, are skipped: checking them takes 100 ms
 * while a request waits.
 */
export const CASED_BLOCKS: readonly Range[] = [
  [0, 0x2dff],
  [0xa640, 0xabff],
  [0xfb00, 0x11fff],
  [0x16e00, 0x16fff],
  [0x1d400, 0x1e9ff],
]
/** The Turkish dotted and dotless i fold only to themselves. */
const UNFOLDED: ReadonlySet<number> = new Set([0x130, 0x131])

const foldedCharacters = new Map<number, CharacterSet>()
let table: readonly (readonly [code: number, variants: readonly number[]])[] | undefined

/**
 * Adds the other cases of their characters to ranges. Folding is done here because PostgreSQL folds by the collation of the
 * database, which for `C` covers only ASCII, and live queries must have the same results.
 */
export function foldCase(ranges: readonly Range[]): CharacterSet {
  table ??= caseVariants()
  const folded: Range[] = [...ranges]
  for (const [first, last] of ranges) {
    for (let index = position(first); index < table.length && table[index]![0] <= last; index++) {
      for (const variant of table[index]![1]) if (variant < first || variant > last) folded.push([variant, variant])
    }
  }
  return characterSet(folded)
}

/** Returns a character and its other cases. */
export function foldCharacter(code: number): CharacterSet {
  const known = foldedCharacters.get(code)
  if (known) return known
  const folded = foldCase([[code, code]])
  // Caches only characters that have another case, so the cache is bounded.
  if (casedIn([[code, code]]) > 0) foldedCharacters.set(code, folded)
  return folded
}

/** Returns the number of characters in ranges that have another case. */
export function casedIn(ranges: readonly Range[]): number {
  table ??= caseVariants()
  return ranges.reduce((sum, [first, last]) => sum + position(last + 1) - position(first), 0)
}

/** Returns the position of the first table entry at or after a code. */
function position(code: number): number {
  let low = 0
  let high = table!.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (table![middle]![0] < code) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns each character that has another case, with all the characters that fold to the same one. */
function caseVariants(): [number, readonly number[]][] {
  const groups = new Map<number, number[]>()
  for (const [first, last] of CASED_BLOCKS) {
    for (let code = first; code <= last; code++) {
      const folded = fold(code)
      const group = groups.get(folded)
      if (group) group.push(code)
      else groups.set(folded, [code])
    }
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .flatMap((group) => group.map((code): [number, number[]] => [code, group]))
    .sort((a, b) => a[0] - b[0])
}

function fold(code: number): number {
  return UNFOLDED.has(code) ? code : lower(upper(code))
}

function upper(code: number): number {
  return single(String.fromCodePoint(code).toUpperCase(), code)
}

function lower(code: number): number {
  return single(String.fromCodePoint(code).toLowerCase(), code)
}

/** Keeps foldings of one character to one character: `ß` does not become `SS`. */
function single(text: string, otherwise: number): number {
  const code = text.codePointAt(0)!
  return text.length === (code > 0xffff ? 2 : 1) ? code : otherwise
}
