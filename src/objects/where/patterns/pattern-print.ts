import type { CharacterSet } from './character-set.ts'
import type { Anchor, PatternNode } from './pattern-tree.ts'

/** The syntax in which engines differ. */
interface Dialect {
  character(code: number): string
  readonly anchors: Readonly<Record<Anchor, string>>
  /** Matches nothing. */
  readonly never: string
  readonly group: string
}

const WORD = '[A-Za-z0-9_]'

/**
 * PostgreSQL's own anchors depend on the collation (`\y`) or have other meanings (`\Z` is the very end), so most are written as
 * lookarounds.
 */
const POSTGRES: Dialect = {
  character: (code) => escaped(code, code > 0xffff ? '\\U' : '\\u', code > 0xffff ? 8 : 4, ''),
  anchors: {
    textStart: '\\A',
    lineStart: '(?:\\A|(?<=\\u000a))',
    textEnd: '\\Z',
    finalEnd: '(?=\\u000a?\\Z)',
    lineEnd: '(?:\\Z|(?=\\u000a))',
    wordEdge: `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
    notWordEdge: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  },
  never: '(?!)',
  group: '(?:',
}

/** The same with groups that can be referred to. */
const POSTGRES_CAPTURING: Dialect = { ...POSTGRES, group: '(' }

const RE2: Dialect = {
  character: (code) => escaped(code, '\\x{', 1, '}'),
  anchors: {
    textStart: '\\A',
    lineStart: '(?m:^)',
    textEnd: '\\z',
    finalEnd: '(?:\\n?\\z)',
    lineEnd: '(?m:$)',
    wordEdge: '\\b',
    notWordEdge: '\\B',
  },
  never: '[^\\x00-\\x{10FFFF}]',
  group: '(?:',
}

/** Returns the pattern as an ARE of PostgreSQL, for the operator `~`. */
export function printForPostgres(node: PatternNode, refersBack: boolean): string {
  return print(node, refersBack ? POSTGRES_CAPTURING : POSTGRES)
}

/** Returns the pattern for RE2; only for linear trees. */
export function printForRe2(node: PatternNode): string {
  return print(node, RE2)
}

function print(node: PatternNode, dialect: Dialect): string {
  switch (node.kind) {
    case 'character':
      return dialect.character(node.code)
    case 'set':
      return printSet(node.set, dialect)
    case 'sequence':
      return node.of.map((part) => (part.kind === 'choice' ? enclosed(part, dialect) : print(part, dialect))).join('')
    case 'choice':
      return node.of.map((branch) => print(branch, dialect)).join('|')
    case 'group':
      return `${dialect.group}${print(node.of, dialect)})`
    case 'repeat':
      return `${enclosed(node.of, dialect)}${quantifier(node.min, node.max)}`
    case 'anchor':
      return dialect.anchors[node.at]
    case 'look':
      return `(?${node.behind ? '<' : ''}${node.negated ? '!' : '='}${print(node.of, dialect)})`
    case 'reference':
      // The group keeps a digit that follows from becoming part of the number.
      return `(?:\\${node.group})`
  }
}

/** Returns the node as one unit, which a quantifier can follow. */
function enclosed(node: PatternNode, dialect: Dialect): string {
  const text = print(node, dialect)
  return node.kind === 'character' || node.kind === 'set' || node.kind === 'group' ? text : `(?:${text})`
}

function quantifier(min: number, max: number | null): string {
  if (max === null) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  return min === 0 && max === 1 ? '?' : `{${min},${max}}`
}

function printSet(set: CharacterSet, dialect: Dialect): string {
  if (set.length === 0) return dialect.never
  const ranges = set.map(([first, last]) =>
    first === last ? dialect.character(first) : `${dialect.character(first)}-${dialect.character(last)}`,
  )
  return `[${ranges.join('')}]`
}

/** Letters and digits of ASCII, and letters of scripts without case, are written unchanged; other characters as code points. */
function escaped(code: number, before: string, digits: number, after: string): string {
  const text = String.fromCodePoint(code)
  return /^[A-Za-z0-9\p{Lo}]$/u.test(text) ? text : `${before}${code.toString(16).padStart(digits, '0')}${after}`
}
