import { sql } from '../database/sql.ts'
import { isJsonObject, type Json } from '../values/json.ts'
import { targetId } from '../values/typed.ts'
import { readableBy } from './acl.ts'
import type { Caller } from './caller.ts'
import type { ClassSchema } from './class-schema.ts'
import { presentRow } from './present-row.ts'
import type { PathTree } from './query-parameters.ts'
import type { ObjectStore, PresentedObject } from './store.ts'

/** A place that holds a pointer or file, and what is wanted below it. */
interface Reference {
  readonly holder: { [key: string | number]: Json }
  readonly key: string | number
  readonly className: string
  readonly id: string
  /** null: nothing below (a file, or an element of an array) */
  readonly below: PathTree | null
}

interface Level {
  readonly schema: ClassSchema
  readonly object: PresentedObject
  readonly tree: PathTree | null
}

/**
 * Puts the target's fields into the pointers that `include` names, and the record's into every file field
 * (spec/rest-details, 4.2). One query for each class on each level, never one for each object. A target that is gone or
 * that the caller may not read leaves the plain pointer.
 */
export async function expand(
  store: ObjectStore,
  schema: ClassSchema,
  objects: readonly PresentedObject[],
  include: PathTree | null,
  caller: Caller,
  withAcl: boolean,
): Promise<void> {
  let level: Level[] = objects.map((object) => ({ schema, object, tree: include }))
  while (level.length > 0) {
    const references = level.flatMap(referencesOf)
    if (references.length === 0) return
    const targets = await load(store, references, caller, withAcl)
    const next: Level[] = []
    for (const reference of references) {
      const target = targets.get(`${reference.className} ${reference.id}`)
      if (!target) continue
      const type =
        reference.className === '_File'
          ? { __type: 'File', id: reference.id }
          : { __type: 'Pointer', className: reference.className }
      const expanded: PresentedObject = { ...type, ...target.object }
      reference.holder[reference.key] = expanded
      next.push({ schema: target.schema, object: expanded, tree: reference.below })
    }
    level = next
  }
}

/** Puts the records of files into objects whose class may not know yet which of its fields are files. */
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
    if (fileFields.length > 0) await expand(store, { ...fileClass, fileFields }, [object], null, caller, false)
  }
}

function referencesOf({ schema, object, tree }: Level): Reference[] {
  const references: Reference[] = []
  for (const field of schema.fileFields) collect(references, object, field, null)
  for (const [name, below] of Object.entries(tree ?? {})) {
    if (!Object.hasOwn(object, name) || schema.fileFields.includes(name)) continue
    const value = object[name]!
    if (Array.isArray(value)) {
      const copy = [...value]
      object[name] = copy
      // Pointers inside an array are expanded one level (spec/rest-details, 7.1).
      for (const index of copy.keys()) collect(references, copy as unknown as Reference['holder'], index, null)
    } else if (isJsonObject(value) && value.__type === undefined) {
      // A dotted path into a plain object names the pointers it holds.
      const copy: PresentedObject = { ...value }
      object[name] = copy
      references.push(...referencesOf({ schema: { ...schema, fileFields: [] }, object: copy, tree: below }))
    } else {
      collect(references, object, name, below)
    }
  }
  return references
}

function collect(
  references: Reference[],
  holder: Reference['holder'],
  key: string | number,
  below: PathTree | null,
): void {
  const value = holder[key]
  if (!isJsonObject(value)) return
  const isFile = value.__type === 'File'
  if (!isFile && value.__type !== 'Pointer') return
  references.push({ holder, key, className: isFile ? '_File' : String(value.className), id: targetId(value), below })
}

interface Target {
  readonly schema: ClassSchema
  readonly object: PresentedObject
}

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
      if (!schema) return
      const { rows } = await store.database.search(
        sql`
          SELECT id, created_at, updated_at, acl, data
          FROM ${schema.table}
          WHERE id = ANY(${[...wanted]}::text[]) AND ${readableBy(caller)}`,
        (row) => (row.data as string).length,
      )
      for (const row of rows) {
        targets.set(`${className} ${row.id}`, { schema, object: presentRow(schema, row, caller, withAcl) })
      }
    }),
  )
  return targets
}
