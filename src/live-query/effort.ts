import { compared, type StoredObject } from '../objects/where/matches.ts'
import type { Where } from '../objects/where/tree.ts'

/** This many listed values count as one step, because comparing them is cheap. */
const CHEAP_VALUES = 4

/** A step of a regular expression takes at most 25 nanoseconds, as long as this many other comparisons. */
const PATTERN_STEPS = 3

/** Compiling a regular expression takes as long as matching it against a text of this length. */
const COMPILED = 200

/**
 * Returns the maximum number of steps for testing a condition against one character of an object. Multiplied by the length of the
 * object it limits the time of a test, at a few nanoseconds per step.
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

/** Returns the maximum number of steps for testing a condition against this object. */
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

/** Returns the number of parts of all regular expressions of a condition that must be compiled. */
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
