import type { ClassSchema } from '../../../objects/classes/class-schema.ts'
import { canonicalDate } from '../../../values/date.ts'
import type { Json } from '../../../values/json.ts'
import type { FieldType } from '../../../values/typed.ts'
import type { FieldTypes } from './shared-types.ts'

/**
 * Columns whose values sources may also write as texts: the hosted service exports dates as `{"__type":"Date",…}` and as plain
 * ISO 8601, and its JSON library writes a number that is NaN or infinite as a text such as "NaN".
 */
export interface TextColumns {
  readonly dates: readonly string[]
  readonly numbers: readonly string[]
}

export const NO_TEXT_COLUMNS: TextColumns = { dates: [], numbers: [] }

const NO_NUMBERS: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity'])

/** Returns the Date and Number columns of a class. */
export function textColumnsOf(schema: Pick<ClassSchema, 'fields'> | undefined | null): TextColumns {
  const named = (type: FieldType['type']) =>
    [...(schema?.fields ?? [])].filter(([, field]) => field.type.type === type).map(([name]) => name)
  return { dates: named('Date'), numbers: named('Number') }
}

/**
 * Returns the columns with texts in some records that should be read as dates or numbers, because the class defines them so, or,
 * if the class lacks them, because other records contain dates or numbers.
 * @param types the field types of each record
 * @returns null when `known` has all of them
 */
export function furtherTextColumns(
  schema: Pick<ClassSchema, 'fields'> | undefined | null,
  types: readonly FieldTypes[],
  known: TextColumns,
): TextColumns | null {
  const seen = { String: new Set<string>(), Date: new Set<string>(), Number: new Set<string>() }
  for (const one of types)
    for (const [name, { type }] of one)
      if (type === 'String' || type === 'Date' || type === 'Number') seen[type].add(name)
  const isOf = (name: string, type: 'Date' | 'Number') => {
    const field = schema?.fields.get(name)
    return field ? field.type.type === type : seen[type].has(name)
  }
  const texts = [...seen.String]
  const dates = texts.filter((name) => isOf(name, 'Date') && !known.dates.includes(name))
  const numbers = texts.filter((name) => isOf(name, 'Number') && !known.numbers.includes(name))
  if (dates.length + numbers.length === 0) return null
  return { dates: [...known.dates, ...dates], numbers: [...known.numbers, ...numbers] }
}

/** Converts the texts of such columns. */
export class TextColumnReader {
  readonly #dates: ReadonlySet<string>
  readonly #numbers: ReadonlySet<string>

  constructor({ dates, numbers }: TextColumns) {
    this.#dates = new Set(dates)
    this.#numbers = new Set(numbers)
  }

  /** @returns the Date or number (NaN, Infinity) that a text of the column represents; the text if it represents neither */
  read(column: string, text: string): Json {
    if (this.#dates.has(column)) {
      const iso = canonicalDate(text)
      if (iso !== null) return { __type: 'Date', iso }
    }
    return this.#numbers.has(column) && NO_NUMBERS.has(text) ? Number(text) : text
  }
}
