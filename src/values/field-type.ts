import { isJsonObject, type Json } from './json.ts'

/** The type that a field got on its first write (protocol/storage, Column types). */
export type FieldType =
  | {
      readonly type:
        | 'String'
        | 'Number'
        | 'Boolean'
        | 'Object'
        | 'Array'
        | 'Date'
        | 'Bytes'
        | 'File'
        | 'GeoPoint'
        | 'ACL'
        /** Takes values of every type (protocol/storage, Column types); it is declared, never made by a first write. */
        | 'Any'
    }
  | { readonly type: 'Pointer' | 'Relation'; readonly className: string }

const STRING: FieldType = { type: 'String' }
const NUMBER: FieldType = { type: 'Number' }
const BOOLEAN: FieldType = { type: 'Boolean' }
const ARRAY: FieldType = { type: 'Array' }
const OBJECT: FieldType = { type: 'Object' }

/** The type of a normalised value; null (the value) has none and fits every field. */
export function typeOfValue(value: Json): FieldType | null {
  switch (typeof value) {
    case 'string':
      return STRING
    case 'number':
      return NUMBER
    case 'boolean':
      return BOOLEAN
    default:
      break
  }
  if (value === null) return null
  if (Array.isArray(value)) return ARRAY
  if (!isJsonObject(value)) return null
  switch (value.__type) {
    case 'Date':
    case 'Bytes':
    case 'File':
    case 'GeoPoint':
      return { type: value.__type }
    case 'Pointer':
    case 'Relation':
      return { type: value.__type, className: String(value.className) }
    default:
      return OBJECT
  }
}

export function sameType(a: FieldType, b: FieldType): boolean {
  if (a === b) return true
  if (a.type !== b.type) return false
  return !('className' in a) || !('className' in b) || a.className === b.className
}

/** Whether a field takes values of a type. Members of a relation are no value. */
export function takes(field: FieldType, value: FieldType): boolean {
  return field.type === 'Any' ? value.type !== 'Relation' : sameType(field, value)
}

/** A type as error texts show it, for example `{:type "Pointer", :className "Post"}`. */
export function showType(type: FieldType): string {
  return 'className' in type ? `{:type "${type.type}", :className "${type.className}"}` : `{:type "${type.type}"}`
}
