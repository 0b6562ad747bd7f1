import { join, literal, raw, type Sql, sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { indexedToken } from '../indexing/server-document.ts'
import { type Asked, isOfWords } from '../query/asked.ts'
import type { RankedTerm } from '../query/compile.ts'

/** A query in the language of search servers. */
type Clause = JsonObject

/** What a search server is asked for, and what its answer says of each object. */
export interface ServerQuery {
  /** Finds all objects that meet what is asked, and of those that meet it by more than words perhaps others. */
  readonly clause: Clause
  /** Queries whose names the server tells of each object that meets them. */
  readonly named: readonly Clause[]
  /** What is asked, over a row of the class and the names that the server has told, a jsonb array `matched`. */
  readonly condition: Sql
  /** Whether each of the ranked terms is there, over the same. */
  readonly ranks: readonly Sql[]
}

/** Divides what is asked: words are for the server, all else for the database. */
export function serverQuery(asked: Asked, ranked: readonly RankedTerm[]): ServerQuery {
  const named: Clause[] = []
  const isMet = (words: Asked): Sql => {
    const name = `n${named.length}`
    named.push(withName(clauseOf(words), name))
    return sql`matched ? ${literal(name)}`
  }
  // What words alone decide the server has decided.
  const condition = isOfWords(asked) ? raw('TRUE') : conditionOf(asked, isMet)
  return { clause: clauseOf(asked), ranks: ranked.map(({ words }) => isMet(words)), condition, named }
}

function conditionOf(asked: Asked, isMet: (words: Asked) => Sql): Sql {
  if (isOfWords(asked)) return isMet(asked)
  switch (asked.kind) {
    case 'condition':
      return asked.sql
    case 'all':
    case 'any': {
      const parts = asked.of.map((part) => conditionOf(part, isMet))
      return sql`(${join(parts, asked.kind === 'all' ? ' AND ' : ' OR ')})`
    }
    case 'not':
      return sql`NOT COALESCE(${conditionOf(asked.of, isMet)}, FALSE)`
    default:
      return isMet(asked)
  }
}

/** @param unknown what stands for conditions that the server knows nothing of, so that it finds too much and never too little */
function clauseOf(asked: Asked, unknown: 'match_all' | 'match_none' = 'match_all'): Clause {
  switch (asked.kind) {
    case 'word':
      return { term: { words: { value: indexedToken(asked.word) } } }
    case 'beginning':
      return { prefix: { words: { value: indexedToken(asked.beginning) } } }
    case 'sequence':
      return { match_phrase: { words: { query: asked.words.map(indexedToken).join(' ') } } }
    case 'alike':
      return { terms: { words: asked.words.flat().map(indexedToken) } }
    case 'pattern':
      return anyOf(asked.beginnings.map((beginning) => patternClause(beginning, asked)))
    case 'condition':
      return { [unknown]: {} }
    case 'all':
      if (asked.of.length === 0) return { match_all: {} }
      return { bool: { filter: asked.of.map((part) => clauseOf(part, unknown)) } }
    case 'any':
      return anyOf(mergedWords(asked.of).map((part) => clauseOf(part, unknown)))
    case 'not':
      return { bool: { must_not: [clauseOf(asked.of, unknown === 'match_all' ? 'match_none' : 'match_all')] } }
  }
}

/** Words any of which will do are one clause: servers bound how many there may be. */
function mergedWords(parts: readonly Asked[]): Asked[] {
  const words = parts.flatMap((part) => (part.kind === 'word' ? [[part.word]] : []))
  const others = parts.filter(({ kind }) => kind !== 'word')
  return words.length > 1 ? [{ kind: 'alike', words }, ...others] : [...parts]
}

function anyOf(clauses: readonly Clause[]): Clause {
  if (clauses.length === 0) return { match_none: {} }
  return clauses.length === 1 ? clauses[0]! : { bool: { should: [...clauses], minimum_should_match: 1 } }
}

function patternClause(beginning: string, { parts, signs }: Extract<Asked, { kind: 'pattern' }>): Clause {
  const plain = (text: string) => indexedToken(text).replace(/[\\*?]/g, '\\$&')
  const value = plain(beginning) + parts.map((part, at) => signs[at]! + plain(part)).join('')
  return { wildcard: { words: { value } } }
}

function withName(clause: Clause, name: string): Clause {
  return { constant_score: { filter: clause, _name: name } }
}
