/** A parsed query string (protocol/search, Query strings). `field` is null for all fields. */
export type Query =
  /**
   * All of `must` and none of `mustNot`. Without `must`, at least one of `should`; with it, `should` affects only the ranking.
   */
  | {
      readonly kind: 'clauses'
      readonly must: readonly Query[]
      readonly should: readonly Query[]
      readonly mustNot: readonly Query[]
    }
  | Term
  | { readonly kind: 'range'; readonly field: string; readonly from: Bound | null; readonly to: Bound | null }
  | { readonly kind: 'exists'; readonly field: string }
  | { readonly kind: 'everything' }

/** A term and its weight in the ranking. */
export type Term =
  | { readonly kind: 'text' | 'fuzzy'; readonly field: string | null; readonly text: string; readonly boost: number }
  /** `near`: the words need not be adjacent. */
  | {
      readonly kind: 'phrase'
      readonly field: string | null
      readonly text: string
      readonly near: boolean
      readonly boost: number
    }
  /** Texts, with a wildcard for any characters (`*`) or for one character (`?`) between each two. */
  | {
      readonly kind: 'wildcard'
      readonly field: string | null
      readonly parts: readonly string[]
      readonly signs: readonly ('*' | '?')[]
      readonly boost: number
    }

export interface Bound {
  readonly value: string
  readonly inclusive: boolean
}

/** Returns the fields that a query names. */
export function namedFields(query: Query): string[] {
  switch (query.kind) {
    case 'clauses':
      return [...query.must, ...query.should, ...query.mustNot].flatMap(namedFields)
    case 'everything':
      return []
    default:
      return query.field === null ? [] : [query.field]
  }
}
