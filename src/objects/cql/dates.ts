import type { JsonObject } from '../../values/json.ts'
import type { ObjectStore } from '../store.ts'
import { withDates } from '../where/with-dates.ts'

/**
 * Converts ISO texts to Dates where the class has Date fields, in a condition or the body of a write: the JavaScript SDK sends
 * the Dates among question mark values as texts.
 */
export async function withDatesOf(store: ObjectStore, className: string, wire: JsonObject): Promise<JsonObject> {
  const schema = await store.classes.lookUp(className)
  return schema ? withDates(wire, (field) => schema.fields.get(field)?.type.type === 'Date') : wire
}
