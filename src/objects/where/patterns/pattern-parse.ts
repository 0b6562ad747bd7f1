import { foldCharacter } from './case-folding.ts'
import { ANY, NOT_NEWLINE } from './character-set.ts'
import { readClass, readEscape } from './pattern-class.ts'
import type { PatternCursor } from './pattern-cursor.ts'
import { type Anchor, EMPTY, oneOf, type PatternNode } from './pattern-tree.ts'

/** The options in effect at a position of the pattern. */
export interface Flags {
  readonly ignoreCase: boolean
  readonly multiLine: boolean
  readonly dotAll: boolean
  readonly extended: boolean
}

/** PostgreSQL's maximum in `{n,m}`. */
const MAX_REPEAT = 255
const MAX_GROUP_DEPTH = 100

/** Matches nothing. */
const NEVER: PatternNode = { kind: 'set', set: [] }

const FLAG_OF: Readonly<Record<string, keyof Flags>> = { i: 'ignoreCase', m: 'multiLine', s: 'dotAll', x: 'extended' }
const LOOKAROUNDS = { '?=': [false, false], '?!': [false, true], '?<=': [true, false], '?<!': [true, true] } as const
const ANCHOR_ESCAPES: Readonly<Record<string, Anchor>> = {
  A: 'textStart',
  Z: 'finalEnd',
  z: 'textEnd',
  b: 'wordEdge',
  B: 'notWordEdge',
}
const INLINE_FLAGS = /\?([imsx]*)(?:-([imsx]+))?([:)])/y
const GROUP_NAME = /\?P?(?:<([A-Za-z_]\w{0,63})>|'([A-Za-z_]\w{0,63})')/y
const BOUNDS = /\{(\d{1,9})(?:(,)(\d{0,9}))?\}/y
/** White space under x: not the vertical tab (protocol/storage, Where operators: `$regex` with `$options`). */
const EXTENDED_SPACE = /[ \t\n\f\r]+/y

/** Returns the flags with those of the letters i, m, s and x switched on or off. */
export function withFlags(flags: Flags, letters: string, on = true): Flags {
  return { ...flags, ...Object.fromEntries([...letters].map((letter) => [FLAG_OF[letter]!, on])) }
}

/** Parses a PCRE pattern (protocol/storage, Where operators: `$regex`). Each parser parses one pattern. */
export class PatternParser {
  readonly #cursor: PatternCursor
  #flags: Flags
  #depth = 0
  #lookarounds = 0
  /** Groups as counted by PCRE, and as counted by PostgreSQL, which excludes those inside lookarounds. */
  #groups = 0
  #countedGroups = 0
  /** Closed groups, which can be referred to, by PCRE number, with PostgreSQL's number. */
  readonly #closed = new Map<number, number>()
  #refersBack = false

  constructor(cursor: PatternCursor, flags: Flags) {
    this.#cursor = cursor
    this.#flags = flags
  }

  /** Parses the pattern. @throws ApiError 102 that says what is wrong with it */
  parse(): { readonly tree: PatternNode; readonly refersBack: boolean } {
    const tree = this.#choice()
    if (!this.#cursor.done) this.#cursor.fail("has a ')' without its '('")
    return { tree, refersBack: this.#refersBack }
  }

  #choice(): PatternNode {
    const branches = [this.#sequence()]
    while (this.#cursor.eat('|')) branches.push(this.#sequence())
    return branches.length === 1 ? branches[0]! : { kind: 'choice', of: branches }
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = []
    for (;;) {
      this.#skipExtended()
      const next = this.#cursor.peek()
      if (next === '' || next === '|' || next === ')') break
      const atom = this.#atom()
      if (atom !== null) parts.push(this.#quantified(atom))
    }
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', of: parts }
  }

  #skipExtended(): void {
    while (this.#flags.extended && !this.#cursor.done) {
      if (this.#cursor.peek() === '#') while (!this.#cursor.done && this.#cursor.peek() !== '\n') this.#cursor.take()
      else if (this.#cursor.eatMatch(EXTENDED_SPACE) === null) return
    }
  }

  /** Parses an element that a quantifier may follow; returns null for one that only changes flags. */
  #atom(): PatternNode | null {
    const character = this.#cursor.take()
    switch (character) {
      case '.':
        return { kind: 'set', set: this.#flags.dotAll ? ANY : NOT_NEWLINE }
      case '^':
        return { kind: 'anchor', at: this.#flags.multiLine ? 'lineStart' : 'textStart' }
      case '$':
        return { kind: 'anchor', at: this.#flags.multiLine ? 'lineEnd' : 'finalEnd' }
      case '[':
        return oneOf(readClass(this.#cursor, this.#flags.ignoreCase))
      case '(':
        return this.#group()
      case '\\':
        return this.#escape()
      case '*':
      case '+':
      case '?':
        return this.#cursor.fail(`has a '${character}' with nothing to repeat`)
      default:
        return this.#character(character.codePointAt(0)!)
    }
  }

  #character(code: number): PatternNode {
    if (!this.#flags.ignoreCase) return code === 0 ? NEVER : { kind: 'character', code }
    return oneOf(foldCharacter(code))
  }

  #escape(): PatternNode {
    const next = this.#cursor.peek()
    if (Object.hasOwn(ANCHOR_ESCAPES, next)) return { kind: 'anchor', at: ANCHOR_ESCAPES[this.#cursor.take()]! }
    if (/[1-9]/.test(next)) return this.#reference()
    const escaped = readEscape(this.#cursor)
    return typeof escaped === 'number' ? this.#character(escaped) : oneOf(escaped)
  }

  #reference(): PatternNode {
    const number = Number(this.#cursor.take())
    const group = this.#closed.get(number)
    if (/\d/.test(this.#cursor.peek())) this.#cursor.fail("must refer back to '\\1' to '\\9' only")
    if (group === undefined) this.#cursor.fail(`refers back to '\\${number}', but no such group precedes it`)
    if (this.#lookarounds > 0) this.#cursor.fail(`refers back to '\\${number}' inside a lookaround`)
    if (this.#flags.ignoreCase) this.#cursor.fail("refers back to a group, which cannot be combined with 'i'")
    this.#refersBack = true
    return { kind: 'reference', group }
  }

  /** Parses the text after an opening bracket: flags, a lookaround or a group. */
  #group(): PatternNode | null {
    if (this.#cursor.eat('?#')) return this.#comment()
    const inline = this.#cursor.eatMatch(INLINE_FLAGS)
    if (inline !== null) {
      const flags = withFlags(withFlags(this.#flags, inline[1]!), inline[2] ?? '', false)
      if (inline[3] === ':') return this.#enclosed(flags)
      this.#flags = flags
      return null
    }
    for (const [opening, [behind, negated]] of Object.entries(LOOKAROUNDS)) {
      if (this.#cursor.eat(opening)) return this.#lookaround(behind, negated)
    }
    const named = this.#cursor.eatMatch(GROUP_NAME)
    if (named === null && this.#cursor.sees('?')) {
      this.#cursor.take()
      this.#cursor.fail(`has a group that begins with '(?${this.#cursor.peek()}', which is not supported`)
    }
    return this.#capture()
  }

  #comment(): null {
    while (!this.#cursor.eat(')')) this.#cursor.take()
    return null
  }

  #capture(): PatternNode {
    const number = ++this.#groups
    const counted = this.#lookarounds === 0 ? ++this.#countedGroups : null
    const of = this.#enclosed(this.#flags)
    if (counted !== null) this.#closed.set(number, counted)
    return { kind: 'group', of }
  }

  #lookaround(behind: boolean, negated: boolean): PatternNode {
    this.#lookarounds++
    const of = this.#enclosed(this.#flags)
    this.#lookarounds--
    return { kind: 'look', behind, negated, of }
  }

  /** Parses up to the closing bracket; flags that change inside apply until there. */
  #enclosed(flags: Flags): PatternNode {
    if (++this.#depth > MAX_GROUP_DEPTH) this.#cursor.fail(`nests groups deeper than ${MAX_GROUP_DEPTH} levels`)
    const outside = this.#flags
    this.#flags = flags
    const node = this.#choice()
    if (!this.#cursor.eat(')')) this.#cursor.fail("has a '(' without its ')'")
    this.#flags = outside
    this.#depth--
    return node
  }

  #quantified(atom: PatternNode): PatternNode {
    let node = atom
    for (;;) {
      this.#skipExtended()
      const bounds = this.#quantifier()
      if (bounds === null) return node
      if (this.#cursor.peek() === '+') this.#cursor.fail('has a possessive quantifier, which is not supported')
      this.#cursor.eat('?')
      node = repeat(node, ...bounds)
    }
  }

  #quantifier(): readonly [least: number, most: number | null] | null {
    if (this.#cursor.eat('*')) return [0, null]
    if (this.#cursor.eat('+')) return [1, null]
    if (this.#cursor.eat('?')) return [0, 1]
    const bounds = this.#cursor.sees('{') ? this.#cursor.eatMatch(BOUNDS) : null
    if (bounds === null) return null
    const min = Number(bounds[1])
    const max = bounds[2] === undefined ? min : bounds[3] === '' ? null : Number(bounds[3])
    if (Math.max(min, max ?? 0) > MAX_REPEAT) this.#cursor.fail(`repeats more than ${MAX_REPEAT} times`)
    if (max !== null && max < min) this.#cursor.fail(`has the bounds '${bounds[0]}', which are out of order`)
    return [min, max]
  }
}

/** Returns a repeated node. Repeating a position is the same as testing it once; PostgreSQL allows no quantifier there. */
function repeat(node: PatternNode, min: number, max: number | null): PatternNode {
  if (node.kind === 'anchor' || node.kind === 'look') return min === 0 ? EMPTY : node
  return { kind: 'repeat', of: node, min, max }
}
