import { type Notice, notice } from '../../notices/notice.ts'
import type { ShownClass } from '../shown-class.ts'
import type { RejectedReason } from './report.ts'

/**
 * Reports fields that did not exist before and rejected values of other types than their first records have: perhaps these types
 * are right, and a schema would say so.
 * @param before the classes of the app before the import
 */
export function typesOfFirstRecords(reasons: readonly RejectedReason[], before: readonly ShownClass[]): Notice[] {
  return reasons.flatMap(({ name, reason, count }) => {
    const { code, field, expected } = reason
    if (code !== 'fieldTypeMismatch' || typeof field !== 'string' || typeof expected !== 'string') return []
    const known = before.find(({ className }) => className === name)?.fields ?? {}
    return Object.hasOwn(known, field)
      ? []
      : [notice('fieldTypeOfFirstRecords', { field: `${name}.${field}`, type: expected, records: count })]
  })
}
