import { literal, raw, type Sql, sql } from '../../database/sql.ts'
import type { Field } from '../../objects/classes/field.ts'

/** Maximum indexed characters of a field. */
const MAX_CHARACTERS = 100_000

/**
 * Returns SQL for the indexed text of a field, on a row of its class; NULL when there is none.
 * @param maxCharacters length of the text from its beginning
 */
export function fieldText({ name, type }: Field, maxCharacters = MAX_CHARACTERS): Sql {
  const max = raw(String(maxCharacters))
  if (type.type !== 'Array') return sql`left(data->>${literal(name)}, ${max})`
  return sql`(
    SELECT left(string_agg(element #>> '{}', E'\n'), ${max})
    FROM jsonb_array_elements(CASE jsonb_typeof(data->${literal(name)}) WHEN 'array' THEN data->${literal(name)} ELSE '[]' END) AS element
    WHERE jsonb_typeof(element) IN ('string', 'number', 'boolean')
  )`
}
