/** The query shown on the page. */
export interface CodedQuery {
  readonly className: string
  readonly where: { readonly [key: string]: unknown } | undefined
  /** Fields separated by commas, `-` for descending */
  readonly order: string
  readonly limit: number
}

/** Comparisons for which SDKs have methods. */
export type Operator =
  | 'equal'
  | 'notEqual'
  | 'less'
  | 'lessOrEqual'
  | 'greater'
  | 'greaterOrEqual'
  | 'in'
  | 'notIn'
  | 'all'
  | 'size'
  | 'exists'
  | 'notExists'
  | 'matches'
  | 'near'

export interface Condition {
  readonly field: string
  readonly operator: Operator
  readonly value: unknown
}

/** Conditions combined with and; with branches, at least one of them must hold too. */
export interface Conditions {
  readonly all: readonly Condition[]
  readonly either: readonly (readonly Condition[])[]
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  Object.entries({
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
    $regex: 'matches',
    $nearSphere: 'near',
  } as const),
)

/**
 * Parses a condition into SDK calls.
 * @returns null for parts without a method
 */
export function conditionsOf(where: CodedQuery['where']): Conditions | null {
  const { $or: either, $and: together, ...fields } = where ?? {}
  if (together !== undefined) return null
  const all = plainConditions(fields)
  if (all === null) return null
  if (either === undefined) return { all, either: [] }
  if (!Array.isArray(either)) return null
  const branches = either.map((branch: unknown) => (isObject(branch) ? plainConditions(branch) : null))
  return branches.includes(null) ? null : { all, either: branches as Condition[][] }
}

function plainConditions(fields: { readonly [field: string]: unknown }): Condition[] | null {
  const found: Condition[] = []
  for (const [field, condition] of Object.entries(fields)) {
    if (field.startsWith('$')) return null
    if (!isObject(condition) || '__type' in condition || !Object.keys(condition).some((name) => name.startsWith('$'))) {
      found.push({ field, operator: 'equal', value: condition })
      continue
    }
    for (const [name, value] of Object.entries(condition)) {
      const operator = name === '$exists' ? (value ? 'exists' : 'notExists') : OPERATORS.get(name)
      if (operator === undefined || (operator === 'matches' && typeof value !== 'string')) return null
      found.push({ field, operator, value })
    }
  }
  return found
}

export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
