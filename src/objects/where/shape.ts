import type { Ordering, Where } from './tree.ts'

/** Clients make conditions as long as they like; people read the beginning. */
const MAX_LENGTH = 300
const MAX_PARTS = 40

/**
 * What a condition asks by, for people to read, such as `status = ? and (score > ? or tags = ?)`. Values are left out: they
 * may be secret, and conditions that differ in nothing else are alike.
 */
export function shapeOf(where: Where): string {
  const text = shown(where, { parts: MAX_PARTS }, true)
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
}

/** The keys of an order, such as `-createdAt,name`. */
export function describeOrder(order: readonly Ordering[]): string {
  const keys = order.map(({ path, descending }) => (descending ? '-' : '') + path.join('.'))
  return keys.join(',').slice(0, MAX_LENGTH)
}

/** @param left how many parts are still looked at */
function shown(where: Where, left: { parts: number }, isOutermost = false): string {
  if (--left.parts < 0) return '…'
  switch (where.kind) {
    case 'and':
    case 'or': {
      const parts: string[] = []
      for (const part of where.of) {
        if (left.parts <= 0) {
          parts.push('…')
          break
        }
        parts.push(shown(part, left))
      }
      const text = parts.join(` ${where.kind} `)
      return isOutermost || parts.length < 2 ? text : `(${text})`
    }
    case 'not':
      return `not (${shown(where.of, left, true)})`
    case 'equal':
      return `${where.path.join('.')} = ?`
    case 'oneOf':
      return `${where.path.join('.')} in (?)`
    case 'compare':
      return `${where.path.join('.')} ${where.operator} ?`
    case 'exists':
      return `${where.path.join('.')} exists`
    case 'size':
      return `${where.path.join('.')} has ? elements`
    case 'pattern':
      return `${where.path.join('.')} matches ${where.pattern.prefix === null ? '?' : '^?'}`
    case 'near':
      return `${where.path.join('.')} near ?`
    case 'box':
      return `${where.path.join('.')} within ?`
    case 'relatedTo':
      return `related to ${where.className}.${where.field}`
    case 'inQuery':
      return `${where.path.join('.')} in query (${shown(where.query.where, left, true)})`
    case 'select':
      return `${where.path.join('.')} selected by query (${shown(where.query.where, left, true)})`
  }
}
