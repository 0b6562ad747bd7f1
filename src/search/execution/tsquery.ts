import { join, raw, type Sql, sql } from '../../database/sql.ts'
import { quoted } from '../indexing/document.ts'
import type { ClassQuery } from '../query/class-query.ts'

/** Maximum objects that match the variants of a fuzzy word. */
const MAX_SIMILAR = 20_000

/** A part of a query: a tsquery while it consists of words alone, so that the index serves all of it; else a condition. */
type Part = { readonly words: string } | { readonly condition: Sql }

/**
 * Returns a query as a condition on a row of its class joined with `words` of the index table.
 * @param table the table of the index
 */
export function conditionOf(query: ClassQuery, table: Sql): Sql {
  return toSql(partOf(query, table))
}

/** Returns a query as a tsquery text. Supports only the kinds that affect the ranking. */
export function tsqueryOf(words: ClassQuery): string {
  switch (words.kind) {
    case 'word':
      return quoted(words.word)
    case 'beginning':
      return `${quoted(words.beginning)}:*`
    case 'sequence':
      return `(${words.words.map(quoted).join('<->')})`
    case 'all':
      return joined(words.of.map(tsqueryOf), '&')
    case 'any':
      return joined(words.of.map(tsqueryOf), '|')
    default:
      throw new Error(`A tsquery cannot ask for '${words.kind}'.`)
  }
}

function partOf(query: ClassQuery, table: Sql): Part {
  switch (query.kind) {
    case 'word':
    case 'beginning':
    case 'sequence':
      return { words: tsqueryOf(query) }
    case 'alike':
      return alike(query.words, table)
    case 'pattern':
      return pattern(query)
    case 'condition':
      return { condition: query.sql }
    case 'all':
      return query.of.length === 0 ? { condition: raw('TRUE') } : both(query.of.map((part) => partOf(part, table)))
    case 'any':
      return query.of.length === 0 ? { condition: raw('FALSE') } : either(query.of.map((part) => partOf(part, table)))
    case 'not':
      return negated(partOf(query.of, table))
  }
}

/** Looks up each similar word separately: PostgreSQL would not use the index for one condition with so many words. */
function alike(words: readonly (readonly string[])[], table: Sql): Part {
  const queries = words.map((inFields) => joined(inFields.map(quoted), '|'))
  return {
    condition: sql`object_id IN (
      SELECT similar_id
      FROM unnest(${queries}::tsquery[]) AS similar_words
      CROSS JOIN LATERAL (SELECT object_id AS similar_id FROM ${table} WHERE words @@ similar_words) AS having_it
      LIMIT ${raw(String(MAX_SIMILAR))})`,
  }
}

function pattern({ beginnings, parts, signs }: Extract<ClassQuery, { kind: 'pattern' }>): Part {
  const rest = parts.map((part, at) => (signs[at] === '*' ? '%' : '_') + plain(part)).join('')
  const patterns = beginnings.map((beginning) => plain(beginning) + rest)
  return both([
    {
      words: joined(
        beginnings.map((beginning) => `${quoted(beginning)}:*`),
        '|',
      ),
    },
    {
      condition: sql`EXISTS (
        SELECT FROM unnest(tsvector_to_array(words)) AS lexeme WHERE lexeme LIKE ANY (${patterns}::text[]))`,
    },
  ])
}

/** Escapes a text for a LIKE pattern. */
function plain(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

function joined(words: readonly string[], operator: '&' | '|'): string {
  return words.length === 1 ? words[0]! : `(${words.join(operator)})`
}

function toSql(part: Part): Sql {
  return 'words' in part ? sql`words @@ ${part.words}::tsquery` : part.condition
}

function both(parts: readonly Part[]): Part {
  return combined(parts, '&', ' AND ')
}

function either(parts: readonly Part[]): Part {
  return combined(parts, '|', ' OR ')
}

function combined(parts: readonly Part[], operator: '&' | '|', conjunction: string): Part {
  const words = parts.flatMap((part) => ('words' in part ? [part.words] : []))
  const conditions = parts.flatMap((part) => ('condition' in part ? [part.condition] : []))
  if (conditions.length === 0) return { words: joined(words, operator) }
  const every = words.length > 0 ? [toSql({ words: joined(words, operator) }), ...conditions] : conditions
  return { condition: sql`(${join(every, conjunction)})` }
}

function negated(part: Part): Part {
  if ('words' in part) return { words: `!(${part.words})` }
  return { condition: sql`NOT COALESCE(${part.condition}, FALSE)` }
}
