/** What a query string asks for (protocol/search, Query strings). `field` is null where all fields are meant. */
export type Query =
  /** All of `must`, none of `mustNot`; without `must` one of `should`, which with it counts for the order alone. */
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

/** What words are looked for by, and what it counts in the order. */
export type Term =
  | { readonly kind: 'text' | 'fuzzy'; readonly field: string | null; readonly text: string; readonly boost: number }
  /** `near`: the words need not stand one behind the other. */
  | {
      readonly kind: 'phrase'
      readonly field: string | null
      readonly text: string
      readonly near: boolean
      readonly boost: number
    }
  /** `parts` are texts, and between each two of them a sign for any characters, or any one. */
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

/** The fields that a query names. */
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
