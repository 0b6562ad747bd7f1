import { errors } from '../../errors.ts'
import { ANONYMOUS } from '../../objects/access/caller.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { checkQueryable } from '../../objects/classes/field-options.ts'
import type { Ordering, Where } from '../../objects/where/tree.ts'

/**
 * Checks the condition of a client on conversations. Clients may query any conversation, but not by fields that are hidden from
 * clients, nor by other objects, whose own permissions would apply.
 * @throws ApiError 102, 403
 */
export function checkClientCondition(schema: ClassSchema, where: Where): void {
  switch (where.kind) {
    case 'and':
    case 'or':
      for (const part of where.of) checkClientCondition(schema, part)
      return
    case 'not':
      checkClientCondition(schema, where.of)
      return
    case 'relatedTo':
    case 'inQuery':
    case 'select':
      throw errors.invalidQuery('A condition on conversations cannot contain inner queries or $relatedTo.')
    default:
      checkQueryable(schema, where.path[0], ANONYMOUS)
  }
}

/** Checks that a client may sort by these fields. @throws ApiError 403 */
export function checkClientOrder(schema: ClassSchema, order: readonly Ordering[]): void {
  for (const { path } of order) checkQueryable(schema, path[0], ANONYMOUS)
}
