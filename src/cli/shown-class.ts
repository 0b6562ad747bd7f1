import type { Permission } from '../objects/access/permissions.ts'

/** A class as the management API shows it. */
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
