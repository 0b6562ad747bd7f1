import type { Permission } from '../objects/access/permissions.ts'

/** A class as returned by the management API. */
export interface ShownClass {
  readonly className: string
  readonly fields: { readonly [name: string]: ShownField }
  readonly permissions: { readonly [operation: string]: Permission }
  readonly defaultAcl: object
  readonly indexes: readonly string[]
}

export interface ShownField {
  readonly type: string
  readonly className?: string
  readonly [option: string]: unknown
}
