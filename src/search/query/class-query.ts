import type { Sql } from '../../database/sql.ts'

/**
 * A query compiled for the objects of one class. Words are prefixed with the number of their field, as in the index
 * (`indexing/document.ts`).
 */
export type ClassQuery =
  | ClassWords
  /** A condition on a row of the class, which the word index cannot evaluate. */
  | { readonly kind: 'condition'; readonly sql: Sql }
  | { readonly kind: 'all' | 'any'; readonly of: readonly ClassQuery[] }
  | { readonly kind: 'not'; readonly of: ClassQuery }

type ClassWords =
  | { readonly kind: 'word'; readonly word: string }
  /** Words with this prefix. */
  | { readonly kind: 'beginning'; readonly beginning: string }
  /** Adjacent words. */
  | { readonly kind: 'sequence'; readonly words: readonly string[] }
  /** Any of many similar words, each in the searched fields. */
  | { readonly kind: 'alike'; readonly words: readonly (readonly string[])[] }
  /**
   * A word with one of these prefixes, followed by the parts. Before each part is a wildcard for any characters (`*`) or for one
   * character (`?`).
   */
  | {
      readonly kind: 'pattern'
      readonly beginnings: readonly string[]
      readonly parts: readonly string[]
      readonly signs: readonly ('*' | '?')[]
    }

export const EVERYTHING: ClassQuery = { kind: 'all', of: [] }
export const NOTHING: ClassQuery = { kind: 'any', of: [] }

export function all(of: readonly ClassQuery[]): ClassQuery {
  return of.length === 1 ? of[0]! : { kind: 'all', of }
}

export function any(of: readonly ClassQuery[]): ClassQuery {
  return of.length === 1 ? of[0]! : { kind: 'any', of }
}

/** Returns whether a query consists of words alone. */
export function isOfWords(query: ClassQuery): boolean {
  switch (query.kind) {
    case 'condition':
      return false
    case 'all':
    case 'any':
      return query.of.every(isOfWords)
    case 'not':
      return isOfWords(query.of)
    default:
      return true
  }
}
