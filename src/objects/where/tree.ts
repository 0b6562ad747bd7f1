import type { Json } from '../../values/json.ts'
import type { Path } from './path.ts'
import type { Pattern } from './patterns/pattern.ts'

/** A value of a type with an order. */
export type Ordered = string | number | boolean | DateValue
export type DateValue = { readonly __type: 'Date'; readonly iso: string }
export type Comparison = '<' | '<=' | '>' | '>='

export interface GeoPoint {
  readonly __type: 'GeoPoint'
  readonly latitude: number
  readonly longitude: number
}

/** `$nearSphere` with its bounds in radians of arc; null for no bound. */
export interface Near {
  readonly kind: 'near'
  readonly path: Path
  readonly centre: GeoPoint
  readonly nearest: number | null
  readonly farthest: number | null
}

/** `$within` with `$box`; a box whose west is greater than its east crosses the antimeridian. */
export interface Box {
  readonly kind: 'box'
  readonly path: Path
  readonly south: number
  readonly west: number
  readonly north: number
  readonly east: number
}

/** One item of `order`. */
export interface Ordering {
  readonly path: Path
  readonly descending: boolean
}

/** An inner query of `$inQuery` or `$select`; `className` is null if the pointer field determines it. */
export interface SubQuery {
  readonly className: string | null
  readonly where: Where
  readonly order: readonly Ordering[]
  readonly limit: number
  readonly skip: number
}

/**
 * A condition on an object. A path reaches values of the object; its candidates are those values and the direct elements of those
 * that are arrays. `not` is exact: an object meets either a condition or its negation.
 */
export type Where =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Where[] }
  | { readonly kind: 'not'; readonly of: Where }
  /** A candidate equals the value; for null also if no value is reached. */
  | { readonly kind: 'equal'; readonly path: Path; readonly value: Json }
  /** `equal` with one of the values. */
  | { readonly kind: 'oneOf'; readonly path: Path; readonly values: readonly Json[] }
  /** A candidate has the type of the value and compares to it in this way. */
  | { readonly kind: 'compare'; readonly path: Path; readonly operator: Comparison; readonly value: Ordered }
  /** A value is reached, including null. */
  | { readonly kind: 'exists'; readonly path: Path }
  /** A reached value is an array of this length. */
  | { readonly kind: 'size'; readonly path: Path; readonly size: number }
  /** A candidate is a string in which the pattern is found. */
  | { readonly kind: 'pattern'; readonly path: Path; readonly pattern: Pattern }
  | Near
  | Box
  /** The object is a member of the relation `field` of the owner. */
  | { readonly kind: 'relatedTo'; readonly className: string; readonly objectId: string; readonly field: string }
  /** A candidate is a Pointer to an object of the inner query. */
  | { readonly kind: 'inQuery'; readonly path: Path; readonly query: SubQuery }
  /** A candidate equals a value that `key` reaches in an object of the inner query, other than null. */
  | { readonly kind: 'select'; readonly path: Path; readonly query: SubQuery; readonly key: Path }

/** The condition that every object meets. */
export const EVERYTHING: Where = { kind: 'and', of: [] }
/** The condition that no object meets. */
export const NOTHING: Where = { kind: 'or', of: [] }

/** Joins conditions with AND; a single one is returned unchanged. */
export function allOf(conditions: readonly Where[]): Where {
  return conditions.length === 1 ? conditions[0]! : { kind: 'and', of: conditions }
}

export function not(of: Where): Where {
  return { kind: 'not', of }
}

/** Returns whether a condition depends on other objects than the one tested. */
export function dependsOnOthers(where: Where): boolean {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.some(dependsOnOthers)
    case 'not':
      return dependsOnOthers(where.of)
    case 'relatedTo':
    case 'inQuery':
    case 'select':
      return true
    case 'equal':
    case 'oneOf':
    case 'compare':
    case 'exists':
    case 'size':
    case 'pattern':
    case 'near':
    case 'box':
      return false
  }
}

/** Returns the `$nearSphere` of a condition, which orders results unless `order` is set; null when there is none. */
export function nearOf(where: Where): Near | null {
  if (where.kind === 'near') return where
  if (where.kind !== 'and') return null
  for (const part of where.of) {
    const near = nearOf(part)
    if (near !== null) return near
  }
  return null
}
