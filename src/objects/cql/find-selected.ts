import type { Json } from '../../values/json.ts'
import type { Caller } from '../caller.ts'
import { type Found, findObjects } from '../find.ts'
import { parseFindQuery } from '../query-parameters.ts'
import type { ObjectStore } from '../store.ts'
import { withDatesOf } from './dates.ts'
import { parametersOf, type Select } from './select.ts'

/**
 * Finds what a `select` of CQL asks for.
 * @param returnAcl as the parameter of a class query
 * @throws ApiError those of `findObjects`
 */
export async function findSelected(
  store: ObjectStore,
  select: Select,
  returnAcl: Json | undefined,
  caller: Caller,
): Promise<Found> {
  const where = await withDatesOf(store, select.className, select.where)
  const query = parseFindQuery({ ...parametersOf(select), where, returnACL: returnAcl })
  return findObjects(store, select.className, query, caller)
}
