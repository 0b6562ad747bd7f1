import type { ClassSchema } from '../objects/classes/class-schema.ts'
import type { Field } from '../objects/classes/field.ts'
import type { FieldType } from '../values/typed.ts'

/** The fields that are switched on for search; none: so is the class not. */
export function searchedFields(schema: ClassSchema): Field[] {
  return [...schema.fields.values()].filter(({ options }) => options.searchable)
}

/** Types of fields whose words are indexed. Of an Array those of its elements are. */
const WITH_WORDS: ReadonlySet<FieldType['type']> = new Set(['String', 'Number', 'Boolean', 'Array'])

export function hasWords({ type }: Field): boolean {
  return WITH_WORDS.has(type.type)
}
