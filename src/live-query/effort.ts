import { compared, type StoredObject } from '../objects/where/matches.ts'
import type { Where } from '../objects/where/tree.ts'

/** So many listed values count as one step: comparing is cheap. */
const CHEAP_VALUES = 4

/** A step of a regular expression, at the worst 25 nanoseconds, takes as long as so many of other comparisons. */
const PATTERN_STEPS = 3

/** Compiling a regular expression takes as long as comparing it with a text of this length. */
const COMPILED = 200

/**
 * How many steps it takes, at the worst, to test a condition against one character of an object: together with the
 * length of the object a bound on the time of a test, a few nanoseconds a step.
 */
export function effortOf(where: Where): number {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.reduce((sum, part) => sum + effortOf(part), 0)
    case 'not':
      return effortOf(where.of)
    default:
      return weightOf(where)
  }
}

/** The steps that a test of a condition against this object takes, at the worst. */
export function stepsOf(where: Where, object: StoredObject): number {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.reduce((sum, part) => sum + stepsOf(part, object), 0)
    case 'not':
      return stepsOf(where.of, object)
    case 'relatedTo':
      return 1
    default: {
      const values = compared(object, where.path)
      if (where.kind !== 'pattern') return weightOf(where) * (1 + values.length)
      const length = values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 1), 0)
      return weightOf(where) * (where.pattern.literal ? length : COMPILED + length)
    }
  }
}

/** The parts of all regular expressions of a condition that have to be compiled. */
export function partsOf(where: Where): number {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.reduce((sum, part) => sum + partsOf(part), 0)
    case 'not':
      return partsOf(where.of)
    case 'pattern':
      return where.pattern.literal ? 0 : where.pattern.cost.parts
    default:
      return 0
  }
}

function weightOf(where: Where): number {
  if (where.kind === 'oneOf') return 1 + where.values.length / CHEAP_VALUES
  return where.kind === 'pattern' ? 1 + PATTERN_STEPS * partsOf(where) : 1
}
