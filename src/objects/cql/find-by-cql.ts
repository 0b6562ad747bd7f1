import type { Json } from '../../values/json.ts'
import type { Caller } from '../caller.ts'
import { findObjects } from '../find.ts'
import { parseFindQuery } from '../query-parameters.ts'
import type { ObjectStore } from '../store.ts'
import { withDates } from '../where/with-dates.ts'
import { parseSelect } from './parse-select.ts'
import { parametersOf } from './select.ts'

export interface CqlAnswer {
  readonly className: string
  /** Objects as JSON texts. */
  readonly results: readonly string[]
  /** Of all that meet the condition, where it was asked for. */
  readonly count: number | undefined
}

/**
 * Finds what a `select` of CQL asks for.
 * @param values what its question marks stand for
 * @param returnAcl as the parameter of a class query
 * @throws ApiError 300; those of `findObjects`
 */
export async function findByCql(
  store: ObjectStore,
  cql: string,
  values: readonly Json[],
  returnAcl: Json | undefined,
  caller: Caller,
): Promise<CqlAnswer> {
  const select = parseSelect(cql, values)
  const { className } = select
  const { fields } = await store.classes.find(className)
  // The SDK for JavaScript sends Dates among the values as ISO texts.
  const where = withDates(select.where, (field) => fields.get(field)?.type.type === 'Date')
  const query = parseFindQuery({ ...parametersOf(select), where, returnACL: returnAcl })
  const { results, count } = await findObjects(store, className, query, caller)
  return { className, results, count }
}
