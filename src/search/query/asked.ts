import type { Sql } from '../../database/sql.ts'

/**
 * What a query asks of the objects of one class, as an index of words is asked for it. A word stands here with the number
 * of its field before it, as it is indexed (`indexing/document.ts`).
 */
export type Asked =
  | AskedWords
  /** Over a row of the class: no index of words knows it. */
  | { readonly kind: 'condition'; readonly sql: Sql }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Asked[] }
  | { readonly kind: 'not'; readonly of: Asked }

type AskedWords =
  | { readonly kind: 'word'; readonly word: string }
  /** Words that begin so. */
  | { readonly kind: 'beginning'; readonly beginning: string }
  /** Words, each right behind the one before it. */
  | { readonly kind: 'sequence'; readonly words: readonly string[] }
  /** Any of many words that are spelled alike, each in the fields that are asked. */
  | { readonly kind: 'alike'; readonly words: readonly (readonly string[])[] }
  /**
   * A word that begins in one of these ways, and goes on with the parts. Before each of these stands a sign for any
   * characters, or for any one.
   */
  | {
      readonly kind: 'pattern'
      readonly beginnings: readonly string[]
      readonly parts: readonly string[]
      readonly signs: readonly ('*' | '?')[]
    }

export const EVERYTHING: Asked = { kind: 'all', of: [] }
export const NOTHING: Asked = { kind: 'any', of: [] }

export function all(of: readonly Asked[]): Asked {
  return of.length === 1 ? of[0]! : { kind: 'all', of }
}

export function any(of: readonly Asked[]): Asked {
  return of.length === 1 ? of[0]! : { kind: 'any', of }
}

/** Whether words alone decide it. */
export function isOfWords(asked: Asked): boolean {
  switch (asked.kind) {
    case 'condition':
      return false
    case 'all':
    case 'any':
      return asked.of.every(isOfWords)
    case 'not':
      return isOfWords(asked.of)
    default:
      return true
  }
}
