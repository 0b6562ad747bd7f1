import type { ClassSchema } from '../objects/classes/class-schema.ts'
import type { Field } from '../objects/classes/field.ts'
import type { FieldType } from '../values/typed.ts'

/** Returns the fields enabled for search; empty when the class is not searchable. */
export function searchedFields(schema: ClassSchema): Field[] {
  return [...schema.fields.values()].filter(({ options }) => options.searchable)
}

/** Types of fields whose words are indexed. For an Array, the words of its elements are indexed. */
const WITH_WORDS: ReadonlySet<FieldType['type']> = new Set(['String', 'Number', 'Boolean', 'Array'])

export function hasWords({ type }: Field): boolean {
  return WITH_WORDS.has(type.type)
}
