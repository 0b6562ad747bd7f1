import type { FieldType } from '../values/field-type.ts'
import type { ClassSchema } from './class-schema.ts'

/** The fields of a class and their types, as `GET /1.1/schemas` and exports show them (spec/1, Schema entry). */
export type SchemaEntry = { readonly [field: string]: FieldType }

const SYSTEM_FIELDS: SchemaEntry = {
  objectId: { type: 'String' },
  createdAt: { type: 'Date' },
  updatedAt: { type: 'Date' },
  ACL: { type: 'ACL' },
}

export function schemaEntry(schema: ClassSchema): SchemaEntry {
  return { ...SYSTEM_FIELDS, ...Object.fromEntries([...schema.fields.values()].map((field) => [field.name, field.type])) }
}
