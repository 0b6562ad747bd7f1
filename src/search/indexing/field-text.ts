import { literal, raw, type Sql, sql } from '../../database/sql.ts'
import type { Field } from '../../objects/classes/field.ts'

/** Characters of a field that are indexed. */
const MAX_CHARACTERS = 100_000

/**
 * The text whose words are indexed of a field, as an expression over a row of its class; NULL where there is none.
 * @param maxCharacters of its beginning
 */
export function fieldText({ name, type }: Field, maxCharacters = MAX_CHARACTERS): Sql {
  const most = raw(String(maxCharacters))
  if (type.type !== 'Array') return sql`left(data->>${literal(name)}, ${most})`
  return sql`(
    SELECT left(string_agg(element #>> '{}', E'\n'), ${most})
    FROM jsonb_array_elements(CASE jsonb_typeof(data->${literal(name)}) WHEN 'array' THEN data->${literal(name)} ELSE '[]' END) AS element
    WHERE jsonb_typeof(element) IN ('string', 'number', 'boolean')
  )`
}
