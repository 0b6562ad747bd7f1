import { MAX_RESULT_BYTES } from '../../database/collect-rows.ts'
import type { Row } from '../../database/row.ts'
import { sql } from '../../database/sql.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import { targetId } from '../../values/typed.ts'
import type { Caller } from '../access/caller.ts'
import { mayDo } from '../access/permissions.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import type { PathTree } from '../query-parameters.ts'
import { type ObjectStore, type PresentedObject, readableRows } from '../store.ts'
import { dataOf, presentRow } from './present-row.ts'

/** A position in an object that holds a pointer or file, and the names to include below it. */
interface Reference {
  readonly holder: { [key: string | number]: Json }
  readonly key: string | number
  readonly className: string
  readonly id: string
  /** null: nothing below (a file, or an element of an array) */
  readonly below: PathTree | null
  /** Index of the result it belongs to. */
  readonly root: number
}

interface Level {
  readonly root: number
  readonly schema: ClassSchema
  readonly object: PresentedObject
  readonly tree: PathTree | null
}

/** An object to be presented, and the length of its stored text. */
export interface Expandable {
  readonly object: PresentedObject
  readonly size: number
}

/**
 * Expands the pointers named by `include` with the fields of their targets, and every file field with its record
 * (protocol/storage, Shown values). It sends one query for each class on each level, never one for each object. A pointer stays
 * plain if its target no longer exists, or if the target's ACL or the permission `get` of its class excludes the caller.
 *
 * Results are cut off at 6 MB (protocol/storage, Query parameters), counting each target as often as it is included. If the first
 * result alone is larger, its remaining pointers stay plain.
 * @returns the approximate bytes of each result within the limit, from the first on
 */
export async function expand(
  store: ObjectStore,
  schema: ClassSchema,
  results: readonly Expandable[],
  include: PathTree | null,
  caller: Caller,
  withAcl: boolean,
): Promise<number[]> {
  const sizes = results.map(({ size }) => size)
  let kept = results.length
  let level: Level[] = results.map(({ object }, root) => ({ root, schema, object, tree: include }))
  while (level.length > 0) {
    const references = level.filter(({ root }) => root < kept).flatMap(referencesOf)
    if (references.length === 0) break
    const targets = await load(store, references, caller, withAcl)
    const next: Level[] = []
    let upTo = -1
    let total = 0
    for (const reference of references) {
      const { root, className, id } = reference
      while (upTo < root) total += sizes[++upTo]!
      const target = targets.get(`${className} ${id}`)
      if (!target) continue
      if (total + target.size > MAX_RESULT_BYTES) {
        if (root === 0) continue
        kept = root
        break
      }
      total += target.size
      sizes[root]! += target.size
      const type = className === '_File' ? { __type: 'File', id } : { __type: 'Pointer', className }
      const expanded: PresentedObject = { ...type, ...target.object }
      reference.holder[reference.key] = expanded
      next.push({ root, schema: target.schema, object: expanded, tree: reference.below })
    }
    level = next
  }
  return sizes.slice(0, Math.min(kept, countWithin(sizes)))
}

/** Returns how many of the sizes, from the first on, fit the limit together; the first always counts. */
function countWithin(sizes: readonly number[]): number {
  let total = 0
  const beyond = sizes.findIndex((size) => {
    total += size
    return total > MAX_RESULT_BYTES
  })
  return beyond < 0 ? sizes.length : Math.max(beyond, 1)
}

/** Expands the file fields of objects, also those that the class does not know as files yet. */
export async function expandFiles(
  store: ObjectStore,
  objects: readonly PresentedObject[],
  caller: Caller,
): Promise<void> {
  const fileClass = store.classes.get('_File')!
  for (const object of objects) {
    const fileFields = Object.keys(object).filter(
      (name) => isJsonObject(object[name]) && object[name].__type === 'File',
    )
    if (fileFields.length > 0)
      await expand(store, { ...fileClass, fileFields }, [{ object, size: 0 }], null, caller, false)
  }
}

function referencesOf({ root, schema, object, tree }: Level): Reference[] {
  const references: Reference[] = []
  for (const field of schema.fileFields) collect(references, root, object, field, null)
  for (const [name, below] of Object.entries(tree ?? {})) {
    if (!Object.hasOwn(object, name) || schema.fileFields.includes(name)) continue
    const value = object[name]!
    if (Array.isArray(value)) {
      const copy = [...value]
      object[name] = copy
      // Pointers in an array are expanded by one level (protocol/storage, Query parameters).
      for (const index of copy.keys()) collect(references, root, copy as unknown as Reference['holder'], index, null)
    } else if (isJsonObject(value) && value.__type === undefined) {
      // A dotted path into a plain object names the pointers in it.
      const copy: PresentedObject = { ...value }
      object[name] = copy
      references.push(...referencesOf({ root, schema: { ...schema, fileFields: [] }, object: copy, tree: below }))
    } else {
      collect(references, root, object, name, below)
    }
  }
  return references
}

function collect(
  references: Reference[],
  root: number,
  holder: Reference['holder'],
  key: string | number,
  below: PathTree | null,
): void {
  const value = holder[key]
  if (!isJsonObject(value)) return
  const isFile = value.__type === 'File'
  if (!isFile && value.__type !== 'Pointer') return
  const className = isFile ? '_File' : String(value.className)
  references.push({ root, holder, key, className, id: targetId(value), below })
}

interface Target {
  readonly schema: ClassSchema
  readonly object: PresentedObject
  readonly size: number
}

/**
 * Loads the targets that the caller may read. They are read in the order of the references, so that if not all fit into a
 * response, the first ones are included.
 */
async function load(
  store: ObjectStore,
  references: readonly Reference[],
  caller: Caller,
  withAcl: boolean,
): Promise<Map<string, Target>> {
  const ids = new Map<string, Set<string>>()
  for (const { className, id } of references) {
    if (!ids.has(className)) ids.set(className, new Set())
    ids.get(className)!.add(id)
  }
  const targets = new Map<string, Target>()
  await Promise.all(
    [...ids].map(async ([className, wanted]) => {
      const schema = store.classes.get(className)
      if (!schema || !mayDo(schema.permissions, 'get', caller)) return
      const { rows } = await store.database.search(
        sql`
          SELECT id, created_at, updated_at, acl, data
          FROM ${schema.table}
          JOIN unnest(${[...wanted]}::text[]) WITH ORDINALITY AS wanted (target, place) ON id = target COLLATE "C"
          WHERE ${readableRows(store, className, caller)}
          ORDER BY place`,
        caller.origin?.principal,
        sizeOf,
      )
      for (const row of rows) {
        const object = presentRow(store, schema, row, caller, withAcl)
        targets.set(`${className} ${row.id}`, { schema, object, size: sizeOf(row) })
      }
    }),
  )
  return targets
}

function sizeOf(row: Row): number {
  return dataOf(row).length
}
