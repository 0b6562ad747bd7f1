import type { Json } from '../../values/json.ts'
import type { Caller } from '../access/caller.ts'
import { parseFindQuery } from '../query-parameters.ts'
import { type Found, findObjects } from '../reading/find.ts'
import type { ObjectStore } from '../store.ts'
import { withDatesOf } from './dates.ts'
import { parametersOf } from './select.ts'
import type { Select } from './selection.ts'

/**
 * Finds the objects that a `select` of CQL requests.
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
