import type { Json, JsonObject } from '../../values/json.ts'
import type { FieldType } from '../../values/typed.ts'

type BitOperator = 'BitAnd' | 'BitOr' | 'BitXor'
type ArrayOperator = 'Add' | 'AddUnique' | 'Remove'

/** An operation on one field (protocol/storage, Field operations). Decrement is an Increment by the negative amount. */
export type Operation =
  | { readonly kind: 'Set'; readonly value: Json }
  | { readonly kind: 'Delete' }
  | { readonly kind: 'Increment'; readonly amount: number }
  | { readonly kind: ArrayOperator; readonly objects: readonly Json[] }
  | { readonly kind: BitOperator; readonly operand: number }

/** Members added to or removed from a relation. The field's type names their class. */
export interface RelationChange {
  readonly field: string
  readonly className: string
  readonly kind: 'AddRelation' | 'RemoveRelation'
  readonly ids: readonly string[]
}

/** Operations on one field, in order. `path` has one name, or more if a dotted key names a part of an object. */
export interface FieldChange {
  readonly path: readonly string[]
  readonly operations: readonly Operation[]
}

/** The parsed body of a create or update. */
export interface Changes {
  readonly fields: readonly FieldChange[]
  readonly relations: readonly RelationChange[]
  /** undefined: the ACL is unchanged; null: the object has no ACL of its own and gets that of the class */
  readonly acl: JsonObject | null | undefined
  /** Types that the fields must have, or get now. */
  readonly types: ReadonlyMap<string, FieldType>
  /** Top-level names of all changed fields, including relations. */
  readonly keys: readonly string[]
}
