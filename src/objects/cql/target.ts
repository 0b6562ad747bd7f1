import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { checkObjectId } from '../../values/names.ts'
import { readCondition } from './conditions.ts'
import type { Cursor } from './cursor.ts'
import { readSelect } from './select.ts'

/** The single object that a write targets. */
export interface Target {
  readonly objectId: string
  /** Further conditions that the object must meet; null for none. */
  readonly where: JsonObject | null
}

/** Parses `where objectId = '…'`, optionally with further conditions after `and`. @throws ApiError 104, 300 */
export function readTarget(cursor: Cursor): Target {
  const { token } = cursor
  if (!cursor.takes('where')) cursor.fail("'where objectId = …'")
  const condition = readCondition(cursor, readSelect)
  const id = idIn(condition)
  if (id === undefined)
    return cursor.refuse(
      token,
      "the condition must contain objectId = '…', alone or joined by 'and', because one object is written",
    )
  // Keeps the whole condition, because it may contain a second id.
  return { objectId: checkObjectId(id), where: isIdAlone(condition) ? null : condition }
}

function idIn({ objectId, $and }: JsonObject): Json | undefined {
  if (isJsonObject(objectId) && Object.hasOwn(objectId, '$eq')) return objectId.$eq
  if (!Array.isArray($and)) return undefined
  return ($and as readonly JsonObject[]).map(idIn).find((id) => id !== undefined)
}

function isIdAlone(condition: JsonObject): boolean {
  return Object.keys(condition).length === 1 && Object.hasOwn(condition, 'objectId')
}
