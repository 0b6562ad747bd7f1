import { ownMember } from '../../../api/own-member.ts'
import { Unparsed } from '../../../parts/entry/parse-entry.ts'
import { type Condition, isCondition } from '../data-search.ts'

/** A filter as represented by the form. */
export type Filter = Group | Comparison | Raw

/** Several filters combined with and or or. */
export interface Group {
  readonly kind: 'all' | 'any'
  readonly of: readonly Filter[]
}

/** One operator on one field. */
export interface Comparison {
  readonly kind: 'field'
  readonly field: string
  readonly operator: Operator
  /** The operand; undefined while empty, `Unparsed` for an invalid text */
  readonly value: unknown
}

/** Conditions the form cannot represent, as JSON: other keys, or several dependent operators. */
interface Raw {
  readonly kind: 'json'
  readonly where: Condition | Unparsed
}

/** Operators of queries. `regex` takes a pattern, `begins`, `contains` and `ends` a text. */
export type Operator =
  | 'equal'
  | 'notEqual'
  | 'less'
  | 'lessOrEqual'
  | 'greater'
  | 'greaterOrEqual'
  | 'in'
  | 'notIn'
  | 'exists'
  | 'missing'
  | 'contains'
  | 'begins'
  | 'ends'
  | 'regex'
  | 'all'
  | 'size'
  | 'near'
  | 'within'
  | 'inQuery'
  | 'notInQuery'

const NAMES: { readonly [operator: string]: Operator } = {
  $eq: 'equal',
  $ne: 'notEqual',
  $lt: 'less',
  $lte: 'lessOrEqual',
  $gt: 'greater',
  $gte: 'greaterOrEqual',
  $in: 'in',
  $nin: 'notIn',
  $all: 'all',
  $size: 'size',
  $within: 'within',
  $inQuery: 'inQuery',
  $notInQuery: 'notInQuery',
}
const KEYS = Object.fromEntries(Object.entries(NAMES).map(([key, operator]) => [operator, key]))

const ORDERED = ['less', 'lessOrEqual', 'greater', 'greaterOrEqual'] as const
const ANY_TYPE = ['equal', 'notEqual', 'exists', 'missing'] as const
const BY_TYPE: { readonly [type: string]: readonly Operator[] } = {
  String: ['equal', 'notEqual', 'contains', 'begins', 'ends', 'regex', 'in', 'notIn', ...ORDERED, 'exists', 'missing'],
  Number: ['equal', 'notEqual', ...ORDERED, 'in', 'notIn', 'exists', 'missing'],
  Date: ['greaterOrEqual', 'less', 'equal', 'notEqual', 'greater', 'lessOrEqual', 'exists', 'missing'],
  Boolean: ANY_TYPE,
  Array: ['equal', 'notEqual', 'all', 'size', 'in', 'notIn', 'exists', 'missing'],
  Pointer: ['equal', 'notEqual', 'in', 'notIn', 'inQuery', 'notInQuery', 'exists', 'missing'],
  GeoPoint: ['near', 'within', 'exists', 'missing'],
}

/** Returns the operators of a field type, the most common first. */
export function operatorsOf(type: string): readonly Operator[] {
  return ownMember(BY_TYPE, type) ?? ANY_TYPE
}

/** Returns whether an operator takes no value. */
export function isBare(operator: Operator): boolean {
  return operator === 'exists' || operator === 'missing'
}

/** Returns whether a filter contains an invalid value. */
export function hasUnparsed(filter: Filter): boolean {
  switch (filter.kind) {
    case 'json':
      return filter.where instanceof Unparsed
    case 'field':
      return !isBare(filter.operator) && filter.value instanceof Unparsed
    default:
      return filter.of.some(hasUnparsed)
  }
}

/** Returns the condition of a filter; filters without a valid value are omitted. */
export function toWhere(filter: Filter): Condition {
  if (filter.kind === 'json') return filter.where instanceof Unparsed ? {} : filter.where
  if (filter.kind === 'field') return comparisonToWhere(filter)
  const conditions = filter.of.map(toWhere).filter((one) => Object.keys(one).length > 0)
  if (conditions.length <= 1) return conditions[0] ?? {}
  if (filter.kind === 'any') return { $or: conditions }
  return merged(conditions) ?? { $and: conditions }
}

/** Merges several conditions into one object, unless they share keys. */
function merged(conditions: readonly Condition[]): Condition | null {
  const keys = conditions.flatMap(Object.keys)
  return new Set(keys).size === keys.length ? Object.assign({}, ...conditions) : null
}

function comparisonToWhere({ field, operator, value }: Comparison): Condition {
  if (field === '') return {}
  if (operator === 'exists') return { [field]: { $exists: true } }
  if (operator === 'missing') return { [field]: { $exists: false } }
  if (value === undefined || value instanceof Unparsed) return {}
  switch (operator) {
    case 'equal':
      return { [field]: value }
    case 'contains':
      return { [field]: { $regex: escaped(String(value)) } }
    case 'begins':
      return { [field]: { $regex: `^${escaped(String(value))}` } }
    case 'ends':
      return { [field]: { $regex: `${escaped(String(value))}$` } }
    case 'regex':
      return { [field]: { $regex: String(value) } }
    case 'near':
      return { [field]: value }
    default:
      return { [field]: { [KEYS[operator]!]: value } }
  }
}

/** Returns the filter of a condition. Unsupported parts stay JSON. */
export function fromWhere(where: Condition | undefined): Group {
  const filter = readAll(where ?? {})
  return filter.kind === 'all' ? filter : { kind: 'all', of: [filter] }
}

function readAll(where: Condition): Filter {
  const of = Object.entries(where).flatMap(([key, value]) => readEntry(key, value))
  return of.length === 1 ? of[0]! : { kind: 'all', of }
}

function readEntry(key: string, value: unknown): readonly Filter[] {
  if ((key === '$or' || key === '$and') && Array.isArray(value) && value.every(isCondition))
    return [{ kind: key === '$or' ? 'any' : 'all', of: value.map(readAll) }]
  if (key.startsWith('$')) return [{ kind: 'json', where: { [key]: value } }]
  if (!isCondition(value) || !Object.keys(value).some((name) => name.startsWith('$')))
    return [{ kind: 'field', field: key, operator: 'equal', value }]
  if ('$nearSphere' in value) return [{ kind: 'field', field: key, operator: 'near', value }]
  // A pattern and its options belong together.
  const { $options, ...operators } = value
  return Object.entries(operators).map(([name, operand]) => {
    const isWithOptions = name === '$regex' && $options !== undefined
    const read = isWithOptions ? null : readOperator(name, operand)
    if (read) return { kind: 'field', field: key, ...read }
    return { kind: 'json', where: { [key]: { [name]: operand, ...(isWithOptions ? { $options } : {}) } } }
  })
}

function readOperator(name: string, value: unknown): { operator: Operator; value: unknown } | null {
  if (name === '$exists') return { operator: value === false ? 'missing' : 'exists', value: undefined }
  if (name === '$regex' && typeof value === 'string') return readPattern(value)
  const operator = ownMember(NAMES, name)
  return operator ? { operator, value } : null
}

function readPattern(pattern: string): { operator: Operator; value: string } {
  const begins = pattern.startsWith('^')
  const ends = !begins && pattern.endsWith('$') && !pattern.endsWith('\\$')
  const text = unescaped(begins ? pattern.slice(1) : ends ? pattern.slice(0, -1) : pattern)
  if (text === null) return { operator: 'regex', value: pattern }
  return { operator: begins ? 'begins' : ends ? 'ends' : 'contains', value: text }
}

/** Returns a regular expression that matches exactly a text. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Returns the text that a regular expression matches exactly; null when it matches other texts too. */
function unescaped(pattern: string): string | null {
  const text = pattern.replace(/\\([\\^$.*+?()[\]{}|])/g, '$1')
  return escaped(text) === pattern ? text : null
}
