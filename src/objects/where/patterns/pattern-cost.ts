import type { CharacterSet } from './character-set.ts'
import type { Anchor, PatternNode } from './pattern-tree.ts'

/** The cost of a pattern before it is compared with any text. */
export interface PatternCost {
  /** Parts after expanding repetitions: the time and memory for compiling it in this process. */
  readonly parts: number
  /** Approximate number of transitions that PostgreSQL creates, of 100 to 200 bytes each; some need several passes. */
  readonly transitions: number
  /** Back references after expanding repetitions: each is tried at all positions. */
  readonly references: number
}

/**
 * Cost of a lookaround. It is compiled separately and then moved past adjacent parts, which is expensive past another lookaround.
 */
const LOOKAROUND = 50
/** A word edge is written as four lookarounds; `^` and `$` with m, and `$`, as one. */
const WORD_EDGE = 200
const IN_SEQUENCE = 800
/** Far above every limit. */
const UNBEARABLE = 1_000_000

/** PostgreSQL's automaton of a node, with the numbers that matter when it is joined with others. */
interface Automaton extends PatternCost {
  /** Whether it matches the empty text, so that transitions to its start also lead to its end. */
  readonly nullable: boolean
  /** Transitions into its end. */
  readonly ends: number
  /** States in which it can start without a character. */
  readonly starts: number
  /** Lookarounds and anchors with which it may begin, and end. */
  readonly looksFirst: number
  readonly looksLast: number
}

/**
 * Estimates the cost of a pattern from its tree. PostgreSQL first builds an automaton with empty transitions and then removes
 * these by copying: a sequence of n optional parts becomes n² / 2 transitions. A set counts once for each group of its characters
 * that the pattern distinguishes.
 */
export function costOf(tree: PatternNode): PatternCost {
  const { parts, transitions, references } = automatonOf(tree, weigh(tree))
  return { parts, transitions, references }
}

function automatonOf(node: PatternNode, weights: ReadonlyMap<CharacterSet, number>): Automaton {
  switch (node.kind) {
    case 'character':
      return leaf(1)
    case 'set':
      return leaf(weights.get(node.set)!)
    case 'anchor':
      return anchor(node.at)
    case 'reference':
      return { ...leaf(1), nullable: true, references: 1 }
    case 'group':
      return automatonOf(node.of, weights)
    case 'look': {
      const inner = automatonOf(node.of, weights)
      return { ...look(LOOKAROUND + inner.transitions), parts: 1 + inner.parts }
    }
    case 'sequence':
      return node.of.map((part) => automatonOf(part, weights)).reduce(joined, EMPTY)
    case 'choice':
      return node.of.map((branch) => automatonOf(branch, weights)).reduce(either)
    case 'repeat':
      return repeated(automatonOf(node.of, weights), node.min, node.max)
  }
}

const EMPTY: Automaton = {
  parts: 1,
  transitions: 1,
  references: 0,
  nullable: true,
  ends: 0,
  starts: 0,
  looksFirst: 0,
  looksLast: 0,
}

function leaf(weight: number): Automaton {
  return { ...EMPTY, transitions: weight, nullable: false, ends: weight, starts: 1 }
}

function look(transitions: number): Automaton {
  return { ...leaf(1), transitions, looksFirst: 1, looksLast: 1 }
}

function anchor(at: Anchor): Automaton {
  if (at === 'textStart' || at === 'textEnd') return look(1)
  return look(at === 'wordEdge' || at === 'notWordEdge' ? WORD_EDGE : LOOKAROUND)
}

function joined(a: Automaton, b: Automaton): Automaton {
  const copied = a.ends * (b.starts - 1 + (b.nullable ? 1 : 0))
  const pulled = IN_SEQUENCE * a.looksLast * b.looksFirst
  return {
    parts: a.parts + b.parts,
    transitions: a.transitions + b.transitions + copied + pulled,
    references: a.references + b.references,
    nullable: a.nullable && b.nullable,
    ends: b.ends + (b.nullable ? a.ends : 0),
    starts: a.starts + (a.nullable ? b.starts : 0),
    looksFirst: a.looksFirst + (a.nullable ? b.looksFirst : 0),
    looksLast: b.looksLast + (b.nullable ? a.looksLast : 0),
  }
}

function either(a: Automaton, b: Automaton): Automaton {
  return {
    parts: a.parts + b.parts,
    transitions: a.transitions + b.transitions,
    references: a.references + b.references,
    nullable: a.nullable || b.nullable,
    ends: a.ends + b.ends,
    starts: Math.max(a.starts + b.starts - 1, 1),
    looksFirst: a.looksFirst + b.looksFirst,
    looksLast: a.looksLast + b.looksLast,
  }
}

/** Expands repetitions: `x{2,4}` becomes `xx(x(x)?)?`. */
function repeated(one: Automaton, min: number, max: number | null): Automaton {
  let all = EMPTY
  for (let count = min; count < (max ?? Math.max(min, 1)) && isBearable(all); count++) all = optional(joined(one, all))
  for (let count = 0; count < min && isBearable(all); count++) all = joined(one, all)
  if (max !== null) return all
  // The end of the last one leads back to its start.
  const pulled = IN_SEQUENCE * one.looksLast * one.looksFirst
  const transitions = all.transitions + one.ends * one.starts + pulled
  return { ...all, transitions, nullable: min === 0 || all.nullable, starts: all.starts + 1 }
}

function optional({ parts, transitions, references, ends, starts, looksFirst, looksLast }: Automaton): Automaton {
  return { parts, transitions, references, nullable: true, ends, starts, looksFirst, looksLast }
}

/** Returns whether the cost is still below the cutoff; larger patterns are rejected anyway. */
function isBearable({ parts, transitions }: PatternCost): boolean {
  return parts <= UNBEARABLE && transitions <= UNBEARABLE
}

/** Returns, for each set, how many groups of its characters the pattern distinguishes. */
function weigh(tree: PatternNode): Map<CharacterSet, number> {
  const sets = new Set<CharacterSet>()
  const edges = new Set<number>()
  collect(tree, sets, edges)
  const sorted = Float64Array.from(edges).sort()
  return new Map(Array.from(sets, (set) => [set, 1 + set.reduce((sum, range) => sum + inside(sorted, range), 0)]))
}

/** Collects all sets, and the code points at which a set or character begins or ends. */
function collect(node: PatternNode, sets: Set<CharacterSet>, edges: Set<number>): void {
  switch (node.kind) {
    case 'character':
      edges.add(node.code).add(node.code + 1)
      return
    case 'set':
      if (sets.has(node.set)) return
      sets.add(node.set)
      for (const [first, last] of node.set) edges.add(first).add(last + 1)
      return
    case 'sequence':
    case 'choice':
      for (const part of node.of) collect(part, sets, edges)
      return
    case 'group':
    case 'look':
    case 'repeat':
      collect(node.of, sets, edges)
  }
}

/** Returns how many of the sorted code points are inside a range. */
function inside(sorted: Float64Array, [first, last]: CharacterSet[number]): number {
  return position(sorted, last + 1) - position(sorted, first + 1)
}

function position(sorted: Float64Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
