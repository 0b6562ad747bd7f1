import type { Ordering, Where } from './tree.ts'

/**
 * Maximum length of a description, and of its parts. Clients can send conditions of any length; the beginning is enough for
 * administrators.
 */
const MAX_LENGTH = 300
const MAX_PARTS = 40

/**
 * Returns a readable description of a condition, such as `status = ? and (score > ? or tags = ?)`. Values are omitted: they may
 * be secret, and conditions that differ only in values count as one shape.
 */
export function shapeOf(where: Where): string {
  const text = shown(where, { parts: MAX_PARTS }, true)
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
}

/** Returns the keys of an order, such as `-createdAt,name`. */
export function describeOrder(order: readonly Ordering[]): string {
  const keys = order.map(({ path, descending }) => (descending ? '-' : '') + path.join('.'))
  return keys.join(',').slice(0, MAX_LENGTH)
}

/** Returns the text of a part of a condition. @param left how many more parts are described */
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
