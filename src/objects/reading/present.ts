import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Row } from '../../database/row.ts'
import { isJsonObject, type Json, jsonOf } from '../../values/json.ts'
import type { Caller } from '../access/caller.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import type { PathTree, Selection, View } from '../query-parameters.ts'
import type { ObjectStore, PresentedObject } from '../store.ts'
import { type Expandable, expand } from './include.ts'
import { dataOf, mayHoldPrivate, plainText, presentRow } from './present-row.ts'

/** Characters of objects that are parsed or serialized in one iteration of the event loop. */
const SLICE_CHARACTERS = 256 * 1024

export const PLAIN_VIEW: View = { selection: null, include: null, acl: false }

/**
 * Returns objects as JSON texts, presented as the view requests: with expanded pointers and files, selected keys, and optionally
 * the ACL.
 * @returns as many, from the first on, as fit into a response (`expand`)
 */
export async function presentRows(
  store: ObjectStore,
  schema: ClassSchema,
  rows: readonly Row[],
  view: View,
  caller: Caller,
): Promise<string[]> {
  const withAcl = view.aclAnyway ?? (view.acl && store.settings().returnAclInQueries)
  const shower = view.asStored ? AS_STORED : store
  const isStored = view.asStored || !store.rules.get(schema.name)?.show
  if (schema.isPlain && isStored && !view.selection && !view.include && !withAcl) {
    return rows.map((row) =>
      mayHoldPrivate(schema, row)
        ? JSON.stringify(presentRow(shower, schema, row, caller, false))
        : plainText(schema, row),
    )
  }
  const results: Expandable[] = []
  const breathe = breaks()
  for (const row of rows) {
    const size = dataOf(row).length
    const pause = breathe(size)
    if (pause) await pause
    results.push({ object: presentRow(shower, schema, row, caller, withAcl), size })
  }
  const sizes = await expand(store, schema, results, view.include, caller, withAcl)
  const texts: string[] = []
  for (const [index, size] of sizes.entries()) {
    const { object } = results[index]!
    const shown = view.selection ? select(object, view.selection) : object
    const pause = breathe(size)
    if (pause) await pause
    texts.push(size > SLICE_CHARACTERS ? String(await jsonOf(shown)) : JSON.stringify(shown))
  }
  return texts
}

/**
 * Returns a function to call with the length of each object. It returns a promise when other work should run before the next
 * object.
 */
function breaks(): (length: number) => Promise<void> | undefined {
  let done = 0
  return (length) => {
    const isDue = done > 0 && done + length > SLICE_CHARACTERS
    done = isDue ? length : done + length
    return isDue ? nextTurn() : undefined
  }
}

const AS_STORED: Pick<ObjectStore, 'rules'> = { rules: new Map() }

const ALWAYS = ['objectId', 'createdAt', 'updatedAt', 'ACL', '__type', 'className']

/** Returns the members selected by `keys`; system fields stay unless excluded by name (protocol/storage, Endpoints). */
function select(object: PresentedObject, selection: Selection): PresentedObject {
  const chosen = selection.included ? choose(object, selection.included) : object
  for (const path of selection.excluded) exclude(chosen, path)
  return chosen
}

function choose(object: PresentedObject, tree: PathTree): PresentedObject {
  const chosen: PresentedObject = {}
  for (const name of ALWAYS) if (Object.hasOwn(object, name)) chosen[name] = object[name]!
  for (const [name, below] of Object.entries(tree)) {
    if (!Object.hasOwn(object, name)) continue
    chosen[name] = Object.keys(below).length === 0 ? object[name]! : chooseBelow(object[name]!, below)
  }
  return chosen
}

function chooseBelow(value: Json, tree: PathTree): Json {
  if (Array.isArray(value)) return value.map((item) => chooseBelow(item, tree))
  return isJsonObject(value) ? choose(value as PresentedObject, tree) : value
}

function exclude(value: Json, path: readonly string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) exclude(item, path)
  } else if (isJsonObject(value)) {
    const [name, ...below] = path as [string, ...string[]]
    if (below.length === 0) delete (value as PresentedObject)[name]
    else if (Object.hasOwn(value, name)) exclude(value[name]!, below)
  }
}
