import { join, literal, raw, type Sql, sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { indexedToken } from '../indexing/server-document.ts'
import { type ClassQuery, isOfWords } from '../query/class-query.ts'
import type { RankedTerm } from '../query/compile.ts'

/** A clause in the query language of the search server. */
type Clause = JsonObject

/** A query for a search server, and how to evaluate its response. */
export interface ServerQuery {
  /** Matches all objects that meet the query, and possibly others when the query contains conditions besides words. */
  readonly clause: Clause
  /** Named queries. The server returns for each object the names of those that match. */
  readonly named: readonly Clause[]
  /** The query as a condition on a row of the class and the returned names, a jsonb array `matched`. */
  readonly condition: Sql
  /** Whether each of the ranked terms matches, as conditions on the same. */
  readonly ranks: readonly Sql[]
}

/** Splits a query: the server evaluates words, and the database evaluates all other conditions. */
export function serverQuery(query: ClassQuery, ranked: readonly RankedTerm[]): ServerQuery {
  const named: Clause[] = []
  const matches = (words: ClassQuery): Sql => {
    const name = `n${named.length}`
    named.push(withName(clauseOf(words), name))
    return sql`matched ? ${literal(name)}`
  }
  // Conditions on words alone were evaluated by the server.
  const condition = isOfWords(query) ? raw('TRUE') : conditionOf(query, matches)
  return { clause: clauseOf(query), ranks: ranked.map(({ words }) => matches(words)), condition, named }
}

function conditionOf(query: ClassQuery, matches: (words: ClassQuery) => Sql): Sql {
  if (isOfWords(query)) return matches(query)
  switch (query.kind) {
    case 'condition':
      return query.sql
    case 'all':
    case 'any': {
      const parts = query.of.map((part) => conditionOf(part, matches))
      return sql`(${join(parts, query.kind === 'all' ? ' AND ' : ' OR ')})`
    }
    case 'not':
      return sql`NOT COALESCE(${conditionOf(query.of, matches)}, FALSE)`
    default:
      return matches(query)
  }
}

/**
 * Converts a query to a clause. @param unknown replaces conditions that the server cannot evaluate, so that it returns too many
 * objects rather than too few
 */
function clauseOf(query: ClassQuery, unknown: 'match_all' | 'match_none' = 'match_all'): Clause {
  switch (query.kind) {
    case 'word':
      return { term: { words: { value: indexedToken(query.word) } } }
    case 'beginning':
      return { prefix: { words: { value: indexedToken(query.beginning) } } }
    case 'sequence':
      return { match_phrase: { words: { query: query.words.map(indexedToken).join(' ') } } }
    case 'alike':
      return { terms: { words: query.words.flat().map(indexedToken) } }
    case 'pattern':
      return anyOf(query.beginnings.map((beginning) => patternClause(beginning, query)))
    case 'condition':
      return { [unknown]: {} }
    case 'all':
      if (query.of.length === 0) return { match_all: {} }
      return { bool: { filter: query.of.map((part) => clauseOf(part, unknown)) } }
    case 'any':
      return anyOf(mergedWords(query.of).map((part) => clauseOf(part, unknown)))
    case 'not':
      return { bool: { must_not: [clauseOf(query.of, unknown === 'match_all' ? 'match_none' : 'match_all')] } }
  }
}

/** Merges alternative words into one clause, because servers limit the number of clauses. */
function mergedWords(parts: readonly ClassQuery[]): ClassQuery[] {
  const words = parts.flatMap((part) => (part.kind === 'word' ? [[part.word]] : []))
  const others = parts.filter(({ kind }) => kind !== 'word')
  return words.length > 1 ? [{ kind: 'alike', words }, ...others] : [...parts]
}

function anyOf(clauses: readonly Clause[]): Clause {
  if (clauses.length === 0) return { match_none: {} }
  return clauses.length === 1 ? clauses[0]! : { bool: { should: [...clauses], minimum_should_match: 1 } }
}

function patternClause(beginning: string, { parts, signs }: Extract<ClassQuery, { kind: 'pattern' }>): Clause {
  const plain = (text: string) => indexedToken(text).replace(/[\\*?]/g, '\\$&')
  const value = plain(beginning) + parts.map((part, at) => signs[at]! + plain(part)).join('')
  return { wildcard: { words: { value } } }
}

function withName(clause: Clause, name: string): Clause {
  return { constant_score: { filter: clause, _name: name } }
}
