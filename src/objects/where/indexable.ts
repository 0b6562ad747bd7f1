import type { Json } from '../../values/json.ts'
import type { FieldType } from '../../values/typed.ts'
import { MAX_LOOKUPS } from './any-field.ts'
import type { Path } from './path.ts'
import type { Where } from './tree.ts'

/**
 * A part of a condition that an index could serve: `equality` and `range` by `sortedIndex` of a top-level field, `containment` by
 * `containmentIndex` of an Array field or a dotted path.
 */
export interface IndexUse {
  readonly path: Path
  readonly use: 'equality' | 'range' | 'containment'
}

/** Conditions joined by AND, so that one multi-column index may serve them. */
export type IndexableGroup = readonly IndexUse[]

/**
 * Returns the index uses of a condition: first those common to all objects that meet it, then those of each branch of each `$or`.
 * It omits conditions that no index of `columns.ts` serves (negations, fields of unknown type, objects), and those that have an
 * index already (`objectId`, GeoPoints, relations).
 * @param typeOf returns the type of a top-level field of the class, undefined when unknown
 */
export function indexable(where: Where, typeOf: (field: string) => FieldType | undefined): readonly IndexableGroup[] {
  const common: IndexUse[] = []
  const branches: IndexableGroup[] = []
  for (const part of conjuncts(where)) {
    if (part.kind === 'or') branches.push(...part.of.flatMap((branch) => indexable(branch, typeOf)))
    else common.push(...usesOf(part, typeOf))
  }
  return common.length > 0 ? [common, ...branches] : branches
}

function conjuncts(where: Where): readonly Where[] {
  return where.kind === 'and' ? where.of.flatMap(conjuncts) : [where]
}

function usesOf(where: Where, typeOf: (field: string) => FieldType | undefined): readonly IndexUse[] {
  switch (where.kind) {
    case 'equal':
      return equality(where.path, [where.value], typeOf)
    case 'oneOf':
      return equality(where.path, where.values, typeOf)
    case 'inQuery':
    case 'select':
      return isSorted(where.path, typeOf) ? [{ path: where.path, use: 'equality' }] : []
    case 'compare':
      return isSorted(where.path, typeOf) ? [{ path: where.path, use: 'range' }] : []
    case 'pattern':
      return where.pattern.prefix !== null && isSorted(where.path, typeOf) ? [{ path: where.path, use: 'range' }] : []
    case 'or':
    case 'and':
    case 'not':
    case 'exists':
    case 'size':
    case 'near':
    case 'box':
    case 'relatedTo':
      return []
  }
}

function equality(
  path: Path,
  values: readonly Json[],
  typeOf: (field: string) => FieldType | undefined,
): readonly IndexUse[] {
  if (isSorted(path, typeOf)) return [{ path, use: 'equality' }]
  const contained = values.length <= MAX_LOOKUPS && values.every((value) => value !== null && !Array.isArray(value))
  return contained && (path.length > 1 || MIXED.has(typeOf(path[0])?.type)) ? [{ path, use: 'containment' }] : []
}

/** Types whose conditions apply to array elements. */
const MIXED: ReadonlySet<FieldType['type'] | undefined> = new Set(['Array', 'Any'])

/** Returns whether a field has a sorted index; the values of other types may exceed the 2,700 bytes of a B-tree entry. */
export function isSorted([field, ...inner]: Path, typeOf: (field: string) => FieldType | undefined): boolean {
  if (inner.length > 0 || field === 'objectId') return false
  if (field === 'createdAt' || field === 'updatedAt') return true
  switch (typeOf(field)?.type) {
    case 'String':
    case 'Number':
    case 'Boolean':
    case 'Date':
    case 'Pointer':
    case 'File':
      return true
    default:
      return false
  }
}
