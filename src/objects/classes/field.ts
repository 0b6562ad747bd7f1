import type { Json } from '../../values/json.ts'
import type { FieldType } from '../../values/typed.ts'

/** The options of a field that an administrator may set (protocol/storage, Column types, Column options). */
export interface FieldOptions {
  /** Error 113 if missing on create, or removed later. */
  readonly required?: boolean
  /** Error 117 if a client writes it. */
  readonly readOnly?: boolean
  /** `true`: never shown to clients, which may not query by it either. `results`: only left out of results. */
  readonly hidden?: boolean | 'results'
  /** Only in `_User`: shown to the user itself and hidden from other clients. */
  readonly userPrivate?: boolean
  /** A Number incremented automatically for each object of the class; clients may not write it. */
  readonly autoIncrement?: boolean
  /** Indexed for full-text search, and shown in its results (protocol/search, Enable search). */
  readonly searchable?: boolean
  /** Added when an object that lacks the field is read. It is not stored, so conditions do not see it. */
  readonly default?: Json
  /** The administrator's description of the field. */
  readonly comment?: string
}

export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly options: FieldOptions
}
