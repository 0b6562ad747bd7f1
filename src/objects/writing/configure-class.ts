import { errors } from '../../errors.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import type { IndexKey, WantedIndex } from '../classes/index-definition.ts'
import type { ClassChange } from '../classes/stored-classes.ts'
import type { ObjectStore } from '../store.ts'

const SYSTEM_FIELDS = new Set(['objectId', 'createdAt', 'updatedAt'])

/**
 * Changes a class and its indexes, or creates it. An index is built while the app is online, outside any transaction. So indexes
 * over existing fields, which fail on repeated values, are built first, and removed if a later step fails. Those over new fields
 * have no values to fail on.
 * @throws ApiError those of `ClassRegistry.configure`; 137 when values repeat
 */
export async function configureClass(
  store: ObjectStore,
  className: string,
  change: ClassChange,
  wanted: readonly WantedIndex[] = [],
): Promise<ClassSchema> {
  const known = await store.classes.lookUp(className)
  const indexes = wanted.map((index) => withPointers(index, known, change))
  for (const { keys } of indexes) checkIndexed(className, keys, known, change)
  const isNow = ({ keys }: WantedIndex) => keys.every(({ field }) => known && hasField(known, field))
  const built: WantedIndex[] = []
  let schema: ClassSchema
  try {
    for (const index of indexes.filter(isNow)) if (await store.indexes.create(known!, index)) built.push(index)
    schema = await store.classes.configure(className, change)
  } catch (error) {
    for (const index of built) await store.indexes.remove(known!, index)
    throw error
  }
  for (const index of indexes.filter((index) => !isNow(index))) await store.indexes.create(schema, index)
  return schema
}

/**
 * Returns the index with `owner` in place of `owner.objectId`: an index of a Pointer holds the id of its target, so they are the
 * same. Files and the hosted service's indexes name the id `id` and `$id`.
 */
function withPointers(
  { keys, unique }: WantedIndex,
  known: ClassSchema | undefined,
  { fields }: ClassChange,
): WantedIndex {
  return {
    unique,
    keys: keys.map(({ field, descending }) => {
      const [, root = ''] = /^(\w+)\.(?:objectId|\$id|id)$/.exec(field) ?? []
      const type = (known?.fields.get(root)?.type ?? fields?.get(root)?.type)?.type
      return { field: type === 'Pointer' || type === 'File' ? root : field, descending }
    }),
  }
}

function hasField(schema: ClassSchema, field: string): boolean {
  return SYSTEM_FIELDS.has(field) || schema.fields.has(field)
}

function checkIndexed(
  className: string,
  keys: readonly IndexKey[],
  known: ClassSchema | undefined,
  { fields }: ClassChange,
): void {
  for (const { field } of keys) {
    const type = known?.fields.get(field)?.type ?? fields?.get(field)?.type
    if (!type && !SYSTEM_FIELDS.has(field))
      throw errors.badArgument(`indexes: the class '${className}' has no field '${field}'.`)
    if (type?.type === 'Relation')
      throw errors.badArgument(`indexes: '${field}' is a Relation, which is always indexed.`)
    if (type?.type === 'GeoPoint')
      throw errors.badArgument(`indexes: '${field}' is a GeoPoint, which is always indexed.`)
  }
}
