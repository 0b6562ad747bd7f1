// The patterns with which fixtures describe responses and pushes. Scalars match exactly, arrays element by element. An
// object matches when each of its members does; inside `$exact` it must not have others. An object whose only key begins
// with `$` is an operator. Unknown operators and types are errors, so that a typo cannot make an expectation vacuous.

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The names for `$match`. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: (value) => value !== undefined,
  notNull: (value) => value !== undefined && value !== null,
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  objectId: (value) => typeof value === 'string' && /^[0-9a-f]{24}$/.test(value),
  iso: (value) => typeof value === 'string' && ISO.test(value),
  url: (value) => typeof value === 'string' && URL.canParse(value),
}

interface Operator {
  /** Returns the faults of the operand, when the fixture is loaded. */
  readonly check: (operand: unknown) => string[]
  /** Returns the mismatches of a value; the operand has passed `check`. */
  readonly match: (operand: unknown, value: unknown, at: string, exact: boolean) => string[]
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  /** The value has a type. */
  $match: {
    check: (name) => (typeof name === 'string' && Object.hasOwn(TYPES, name) ? [] : [`unknown type ${show(name)}`]),
    match: (name, value, at) => (TYPES[name as string]!(value) ? [] : [wrong(at, `a value of type ${name}`, value)]),
  },
  /** The member is missing. */
  $absent: {
    check: (operand) => (operand === true ? [] : ['$absent must be true']),
    match: (_, value, at) => (value === undefined ? [] : [wrong(at, 'no member', value)]),
  },
  /** The value matches; from here on objects must not have other members. */
  $exact: {
    check: checkPattern,
    match: (pattern, value, at) => mismatches(pattern, value, at, true),
  },
  /** The value matches; from here on objects may have other members. */
  $partial: {
    check: checkPattern,
    match: (pattern, value, at) => mismatches(pattern, value, at, false),
  },
  $not: {
    check: checkPattern,
    match: (pattern, value, at, exact) =>
      mismatches(pattern, value, at, exact).length > 0 ? [] : [wrong(at, `anything but ${show(pattern)}`, value)],
  },
  $anyOf: {
    check: checkPatterns,
    match: (patterns, value, at, exact) =>
      list(patterns).some((pattern) => mismatches(pattern, value, at, exact).length === 0)
        ? []
        : [wrong(at, `one of ${show(patterns)}`, value)],
  },
  $allOf: {
    check: checkPatterns,
    match: (patterns, value, at, exact) => list(patterns).flatMap((pattern) => mismatches(pattern, value, at, exact)),
  },
  /** The array has an element for each pattern, and may have others. */
  $contains: {
    check: checkPatterns,
    match: (patterns, value, at, exact) =>
      list(patterns)
        .filter((pattern) => !list(value).some((element) => mismatches(pattern, element, at, exact).length === 0))
        .map((pattern) => wrong(at, `an element like ${show(pattern)}`, value)),
  },
  /** The array has exactly one element for each pattern, in any order. */
  $unordered: {
    check: checkPatterns,
    match: (patterns, value, at, exact) => {
      const rest = [...list(value)]
      for (const pattern of list(patterns)) {
        const index = rest.findIndex((element) => mismatches(pattern, element, at, exact).length === 0)
        if (index < 0) return [wrong(at, `an element like ${show(pattern)}`, value)]
        rest.splice(index, 1)
      }
      return rest.length === 0 ? [] : [wrong(at, `no further elements than ${show(patterns)}`, value)]
    },
  },
  /** The array has elements, and each of them matches. */
  $each: {
    check: checkPattern,
    match: (pattern, value, at, exact) =>
      list(value).length === 0
        ? [wrong(at, 'an array with elements', value)]
        : list(value).flatMap((element, index) => mismatches(pattern, element, `${at}.${index}`, exact)),
  },
  /** The object has these keys, in this order, and no others. */
  $keys: {
    check: (keys) => (Array.isArray(keys) ? [] : ['$keys must be an array']),
    match: (keys, value, at) =>
      isObject(value) && show(Object.keys(value)) === show(keys) ? [] : [wrong(at, `the keys ${show(keys)}`, value)],
  },
  /** The text is JSON that matches. */
  $json: {
    check: checkPattern,
    match: (pattern, value, at, exact) => {
      const content = parseJson(value)
      return content === undefined
        ? [wrong(at, 'a text with JSON', value)]
        : mismatches(pattern, content, `${at} as JSON`, exact)
    },
  },
  $regex: {
    check: (source) => (typeof source === 'string' && isRegExp(source) ? [] : [`${show(source)} is no expression`]),
    match: (source, value, at) =>
      typeof value === 'string' && new RegExp(source as string).test(value)
        ? []
        : [wrong(at, `a text that matches ${source}`, value)],
  },
  $atLeast: {
    check: (limit) => (typeof limit === 'number' ? [] : ['$atLeast must be a number']),
    match: (limit, value, at) =>
      typeof value === 'number' && value >= (limit as number) ? [] : [wrong(at, `at least ${limit}`, value)],
  },
}

/**
 * Compares a value with a pattern.
 * @param at name of the value in the results
 * @param exact whether objects must not have members that the pattern does not name
 * @returns a sentence for each difference; none when the value matches
 * @throws Error when the pattern has an unknown operator
 */
export function mismatches(pattern: unknown, value: unknown, at = 'value', exact = false): string[] {
  if (Buffer.isBuffer(pattern)) {
    return Buffer.isBuffer(value) && value.equals(pattern) ? [] : [wrong(at, 'the same bytes', value)]
  }
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value)) return [wrong(at, 'an array', value)]
    if (value.length !== pattern.length) return [wrong(at, `${pattern.length} elements`, value)]
    return pattern.flatMap((element, index) => mismatches(element, value[index], `${at}.${index}`, exact))
  }
  if (!isObject(pattern)) return Object.is(pattern, value) ? [] : [wrong(at, show(pattern), value)]
  const name = operatorOf(pattern)
  if (name !== undefined) {
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name]! : undefined
    if (!operator) throw new Error(`unknown operator ${name}`)
    return operator.match(pattern[name], value, at, exact)
  }
  if (!isObject(value)) return [wrong(at, 'an object', value)]
  const member = (key: string) => (Object.hasOwn(value, key) ? value[key] : undefined)
  const wanted = Object.keys(pattern).flatMap((key) => mismatches(pattern[key], member(key), `${at}.${key}`, exact))
  const others = exact ? Object.keys(value).filter((key) => !Object.hasOwn(pattern, key)) : []
  return [...wanted, ...others.map((key) => wrong(`${at}.${key}`, 'no member', value[key]))]
}

/**
 * Checks a pattern when its fixture is loaded.
 * @returns a sentence for each unknown operator or wrong operand; none when the pattern is valid
 */
export function checkPattern(pattern: unknown): string[] {
  if (Array.isArray(pattern)) return pattern.flatMap(checkPattern)
  if (!isObject(pattern)) return []
  const name = operatorOf(pattern)
  if (name === undefined) return Object.values(pattern).flatMap(checkPattern)
  if (COMPUTED.has(name)) return []
  if (name === '$merge') return checkPatterns(pattern[name])
  if (Object.keys(pattern).length > 1) return [`${name} must be the only key of its object`]
  return Object.hasOwn(OPERATORS, name) ? OPERATORS[name]!.check(pattern[name]) : [`unknown operator ${name}`]
}

/** The operators that `template.ts` replaces with a value before the pattern is used. */
const COMPUTED: ReadonlySet<string> = new Set(['$pattern', '$bytes', '$source', '$hmacSha1'])

function checkPatterns(patterns: unknown): string[] {
  if (!Array.isArray(patterns) || patterns.length === 0) return ['an operator for several patterns must have some']
  return patterns.flatMap(checkPattern)
}

function operatorOf(pattern: object): string | undefined {
  return Object.keys(pattern).find((key) => key.startsWith('$'))
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function parseJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

function isRegExp(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp
  } catch {
    return false
  }
}

function wrong(at: string, expected: string, value: unknown): string {
  return `${at}: expected ${expected}, got ${Buffer.isBuffer(value) ? `${value.length} bytes` : show(value)}`
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text
}
