import type { Json, JsonObject } from '../../values/json.ts'
import type { FieldType } from '../../values/typed.ts'

type BitOperator = 'BitAnd' | 'BitOr' | 'BitXor'
type ArrayOperator = 'Add' | 'AddUnique' | 'Remove'

/**
 * What is to happen to one field (protocol/storage, Field operations). Decrement is an Increment by the negative
 * amount.
 */
export type Operation =
  | { readonly kind: 'Set'; readonly value: Json }
  | { readonly kind: 'Delete' }
  | { readonly kind: 'Increment'; readonly amount: number }
  | { readonly kind: ArrayOperator; readonly objects: readonly Json[] }
  | { readonly kind: BitOperator; readonly operand: number }

/** One member of a relation comes or goes; the class of the members is the type of the field. */
export interface RelationChange {
  readonly field: string
  readonly className: string
  readonly kind: 'AddRelation' | 'RemoveRelation'
  readonly ids: readonly string[]
}

/** Operations on one field, in order. `path` has one name, or more where a dotted key names a part of an object. */
export interface FieldChange {
  readonly path: readonly string[]
  readonly operations: readonly Operation[]
}

/** A body of a create or update, parsed. */
export interface Changes {
  readonly fields: readonly FieldChange[]
  readonly relations: readonly RelationChange[]
  /** undefined: the ACL stays as it is; null: the object has none of its own, and that of the class counts */
  readonly acl: JsonObject | null | undefined
  /** Types that the fields must have, or get now. */
  readonly types: ReadonlyMap<string, FieldType>
  /** Top-level names of all changed fields, relations included. */
  readonly keys: readonly string[]
}
