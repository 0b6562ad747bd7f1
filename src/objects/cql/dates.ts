import type { JsonObject } from '../../values/json.ts'
import type { ObjectStore } from '../store.ts'
import { withDates } from '../where/with-dates.ts'

/**
 * A condition or the body of a write with ISO texts as Dates where the class holds Dates: the SDK for JavaScript sends
 * the Dates among the values for question marks so.
 */
export async function withDatesOf(store: ObjectStore, className: string, wire: JsonObject): Promise<JsonObject> {
  const schema = await store.classes.lookUp(className)
  return schema ? withDates(wire, (field) => schema.fields.get(field)?.type.type === 'Date') : wire
}
