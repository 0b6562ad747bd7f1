import type { CharacterSet } from './character-set.ts'

/**
 * A position in the text: `textStart` is `^` or `\A`, `lineStart` is `^` with m, `textEnd` is `\z`, `finalEnd` is `$` or `\Z`
 * (the end, or before a final newline), `lineEnd` is `$` with m.
 */
export type Anchor = 'textStart' | 'lineStart' | 'textEnd' | 'finalEnd' | 'lineEnd' | 'wordEdge' | 'notWordEdge'

/**
 * A regular expression with its options applied: `i`, `m`, `s` and `x` result in different trees. Greedy and lazy quantifiers are
 * the same here, because only the existence of a match counts.
 */
export type PatternNode =
  | { readonly kind: 'character'; readonly code: number }
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence' | 'choice'; readonly of: readonly PatternNode[] }
  | { readonly kind: 'group'; readonly of: PatternNode }
  | { readonly kind: 'repeat'; readonly of: PatternNode; readonly min: number; readonly max: number | null }
  | { readonly kind: 'anchor'; readonly at: Anchor }
  | { readonly kind: 'look'; readonly behind: boolean; readonly negated: boolean; readonly of: PatternNode }
  /** A back reference; groups are counted as in PostgreSQL, without those inside lookarounds. */
  | { readonly kind: 'reference'; readonly group: number }

export const EMPTY: PatternNode = { kind: 'sequence', of: [] }

/** Returns a set as a node; a set of one character becomes that character. */
export function oneOf(set: CharacterSet): PatternNode {
  const [only] = set
  return set.length === 1 && only![0] === only![1] ? { kind: 'character', code: only![0] } : { kind: 'set', set }
}

/**
 * Returns whether the pattern can run in linear time, without lookarounds and back references. RE2 has no `finalEnd`; at the end
 * of the pattern it can be written as an optional newline.
 */
export function isLinear(node: PatternNode, last = true): boolean {
  switch (node.kind) {
    case 'character':
    case 'set':
      return true
    case 'anchor':
      return node.at !== 'finalEnd' || last
    case 'look':
    case 'reference':
      return false
    case 'group':
      return isLinear(node.of, last)
    case 'repeat':
      return isLinear(node.of, false)
    case 'choice':
      return node.of.every((branch) => isLinear(branch, last))
    case 'sequence':
      return node.of.every((part, index) => isLinear(part, last && index === node.of.length - 1))
  }
}

/** A literal text with which every match begins at the start of the text; `isEntire` if the pattern consists only of it. */
export interface Prefix {
  readonly text: string
  readonly isEntire: boolean
}

/** Returns the literal start of an anchored pattern such as `^ab`, null when there is none. */
export function prefixOf(node: PatternNode): Prefix | null {
  const parts = node.kind === 'sequence' ? node.of : [node]
  const [first] = parts
  if (first?.kind !== 'anchor' || first.at !== 'textStart') return null
  let text = ''
  let index = 1
  for (let part = parts[index]; part?.kind === 'character'; part = parts[++index])
    text += String.fromCodePoint(part.code)
  return text === '' ? null : { text, isEntire: index === parts.length }
}

/** A pattern that is a literal text; `atStart` and `atEnd` are its anchors (`$`: also before a final newline). */
export interface Literal {
  readonly text: string
  readonly atStart: boolean
  readonly atEnd: boolean
}

/** Returns the literal of a pattern such as `^ab`, `ab` or `ab$`, null for any other pattern. */
export function literalOf(node: PatternNode): Literal | null {
  const parts = node.kind === 'sequence' ? node.of : [node]
  const [first, last] = [parts[0], parts.at(-1)]
  const atStart = first?.kind === 'anchor' && first.at === 'textStart'
  const atEnd = last?.kind === 'anchor' && last.at === 'finalEnd'
  let text = ''
  for (const part of parts.slice(atStart ? 1 : 0, atEnd ? -1 : undefined)) {
    if (part.kind !== 'character') return null
    text += String.fromCodePoint(part.code)
  }
  return { text, atStart, atEnd }
}
