import type { FieldType } from '../../values/typed.ts'
import type { ClassSchema } from './class-schema.ts'

/** The fields of every object, whatever its class. */
const SYSTEM_FIELDS: readonly (readonly [name: string, type: FieldType])[] = [
  ['objectId', { type: 'String' }],
  ['createdAt', { type: 'Date' }],
  ['updatedAt', { type: 'Date' }],
  ['ACL', { type: 'ACL' }],
]

/**
 * Returns the fields of a class and their types, such as `{"author":{"type":"Pointer","className":"_User"}}` (protocol/storage,
 * Schemas).
 */
export function schemaEntry(schema: ClassSchema): { readonly [field: string]: FieldType } {
  const fields = [...schema.fields.values()].map((field) => [field.name, field.type] as const)
  return Object.fromEntries([...SYSTEM_FIELDS, ...fields])
}
