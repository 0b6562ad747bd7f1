import type { Json } from '../../values/json.ts'
import type { FieldType } from '../../values/typed.ts'

/** What an administrator may set for a field (protocol/storage, Column types, Column options). */
export interface FieldOptions {
  /** Missing on create, or taken away later: error 113. */
  readonly required?: boolean
  /** Written by a client: error 117. */
  readonly readOnly?: boolean
  /** `true`: never shown to clients, nor may they ask by it. `results`: left out of what they are shown, and no more. */
  readonly hidden?: boolean | 'results'
  /** Only in `_User`: shown to the user itself, and hidden from other clients. */
  readonly userPrivate?: boolean
  /** A Number that counts the objects of the class by itself; clients do not write it. */
  readonly autoIncrement?: boolean
  /** Found by full-text search, and shown in its results (protocol/search, Switching it on). */
  readonly searchable?: boolean
  /** Filled in when an object that lacks the field is read; nothing of it is stored, so conditions do not see it. */
  readonly default?: Json
  /** What the field is for, in words of the administrator. */
  readonly comment?: string
}

export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly options: FieldOptions
}
