import { isJsonObject, type Json } from './json.ts'

/** The type that a field got on its first write (spec/rest-details, 4.1). */
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
    }
  | { readonly type: 'Pointer' | 'Relation'; readonly className: string }

/** The type of a normalised value; null (the value) has none and fits every field. */
export function typeOfValue(value: Json): FieldType | null {
  switch (typeof value) {
    case 'string':
      return { type: 'String' }
    case 'number':
      return { type: 'Number' }
    case 'boolean':
      return { type: 'Boolean' }
    default:
      break
  }
  if (value === null) return null
  if (Array.isArray(value)) return { type: 'Array' }
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
      return { type: 'Object' }
  }
}

export function sameType(a: FieldType, b: FieldType): boolean {
  if (a.type !== b.type) return false
  return !('className' in a) || !('className' in b) || a.className === b.className
}

/** A type as error texts show it, for example `{:type "Pointer", :className "Post"}`. */
export function showType(type: FieldType): string {
  return 'className' in type ? `{:type "${type.type}", :className "${type.className}"}` : `{:type "${type.type}"}`
}
