import { createHash, createHmac } from 'node:crypto'
import { bytesFrom } from '../../files/source.ts'
import { isObject } from './pattern.ts'

// The values with which fixtures describe requests. `{{name}}`, `{{name.member}}` and `{{function:name}}` in a text are
// replaced by variables of the scope; a text that is a single placeholder becomes the variable itself, of any type. An
// object whose only key is one of COMPUTED is replaced by the value computed from its operand.

/** The variables of a scenario: what it captured, its parameters, and the app's. */
export interface Scope {
  /** @returns undefined for an unknown variable */
  get(name: string): unknown
  set(name: string, value: unknown): void
  /** The patterns that the fixture names. */
  readonly patterns: Readonly<Record<string, unknown>>
}

/** Creates a scope whose variables hide those of the outer one. */
export function innerScope(outer: Scope, variables: Readonly<Record<string, unknown>> = {}): Scope & { own: object } {
  const own = new Map(Object.entries(variables))
  return {
    get: (name) => (own.has(name) ? own.get(name) : outer.get(name)),
    set: (name, value) => void own.set(name, value),
    patterns: outer.patterns,
    get own() {
      return Object.fromEntries(own)
    },
  }
}

/** The functions of `{{function:name}}`, applied to a variable. */
const FUNCTIONS: Readonly<Record<string, (value: string) => string>> = {
  host: (url) => new URL(url).host,
  hostname: (url) => new URL(url).hostname,
  base64: (text) => Buffer.from(text).toString('base64'),
}

const COMPUTED: Readonly<Record<string, (operand: never) => unknown>> = {
  /** The members of several objects; later ones win. */
  $merge: (objects: readonly object[]) => Object.assign({}, ...objects),
  $concat: (arrays: readonly (readonly unknown[])[]) => arrays.flat(),
  $sum: (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0),
  /** The numbers from 0 up to, but not including, this one. */
  $range: (length: number) => Array.from({ length }, (_, index) => index),
  /** Bytes given in base64. */
  $bytes: (base64: string) => Buffer.from(base64, 'base64'),
  /** The content of the files that fixtures upload, `from` included, `to` not. */
  $source: ({ from, to }: { from: number; to: number }) => bytesFrom(from, to),
  $md5: ({ of, encoding }: Digested) => createHash('md5').update(of).digest(encoding),
  $sha1: ({ of, encoding }: Digested) => createHash('sha1').update(of).digest(encoding),
  $hmacSha1: ({ key, of }: { key: string; of: string }) => createHmac('sha1', key).update(of).digest('hex'),
}

interface Digested {
  readonly of: Buffer | string
  readonly encoding: 'hex' | 'base64'
}

/** The operators of LeanCloud's queries, which requests contain as they are. */
const QUERY_OPERATORS: ReadonlySet<string> = new Set(
  '$gt $gte $lt $lte $in $all $exists $regex $options $or $and $inQuery $notInQuery $relatedTo'.split(' '),
)

/**
 * Returns a value of a request with all templates replaced; `{"$json": value}` becomes a text.
 * @throws Error for unknown variables
 */
export function fill(value: unknown, scope: Scope): unknown {
  return replaced(value, scope, false)
}

/** Returns a pattern with all templates replaced, `{"$pattern": name}` among them; its operators stay. */
export function fillPattern(pattern: unknown, scope: Scope): unknown {
  return replaced(pattern, scope, true)
}

/** Returns a text of a request with all templates replaced. */
export function fillText(text: string, scope: Scope): string {
  return text.replaceAll(/\{\{([^{}]+)\}\}/g, (_, expression: string) => {
    const value = variable(expression, scope)
    if (isObject(value)) throw new Error(`{{${expression}}} must be a text or a number`)
    return String(value)
  })
}

/**
 * Checks a value of a request when its fixture is loaded.
 * @returns a sentence for each key that begins with `$` and is neither computed nor an operator of queries
 */
export function checkTemplate(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(checkTemplate)
  if (!isObject(value)) return []
  const unknown = Object.keys(value).filter(
    (key) => key.startsWith('$') && key !== '$json' && !Object.hasOwn(COMPUTED, key) && !QUERY_OPERATORS.has(key),
  )
  return [...unknown.map((key) => `unknown operator ${key}`), ...Object.values(value).flatMap(checkTemplate)]
}

function replaced(value: unknown, scope: Scope, isPattern: boolean): unknown {
  if (typeof value === 'string') {
    const [, name] = /^\{\{([^{}]+)\}\}$/.exec(value) ?? []
    return name === undefined ? fillText(value, scope) : variable(name, scope)
  }
  if (Array.isArray(value)) return value.map((element) => replaced(element, scope, isPattern))
  if (!isObject(value)) return value
  const [[key, operand] = [undefined, undefined], ...others] = Object.entries(value)
  if (key !== undefined && others.length === 0) {
    if (isPattern && key === '$pattern') return replaced(named(scope, operand), scope, true)
    if (!isPattern && key === '$json') return JSON.stringify(replaced(operand, scope, false))
    if (Object.hasOwn(COMPUTED, key)) return COMPUTED[key]!(replaced(operand, scope, isPattern) as never)
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [fillText(name, scope), replaced(member, scope, isPattern)]),
  )
}

function named(scope: Scope, name: unknown): unknown {
  const pattern = typeof name === 'string' && Object.hasOwn(scope.patterns, name) ? scope.patterns[name] : undefined
  if (pattern === undefined) throw new Error(`the fixture names no pattern ${JSON.stringify(name)}`)
  return pattern
}

function variable(expression: string, scope: Scope): unknown {
  const [path, name] = expression.split(':').toReversed() as [string, string?]
  const [first, ...members] = path.split('.')
  const value = memberOf(scope.get(first!), members)
  if (value === undefined) throw new Error(`there is no variable {{${path}}}`)
  if (name === undefined) return value
  if (!Object.hasOwn(FUNCTIONS, name)) throw new Error(`there is no function {{${name}:…}}`)
  return FUNCTIONS[name]!(String(value))
}

/** Returns the value at a path of members and indexes, or undefined. */
export function memberOf(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      (isObject(inner) || Array.isArray(inner)) && Object.hasOwn(inner, key) ? Reflect.get(inner, key) : undefined,
    value,
  )
}
