import type { Json } from '../../values/json.ts'
import type { Cursor } from './cursor.ts'

/** A value as it is compared with: a literal, a function of literals, a list, or a question mark. @throws ApiError 300 */
export function readValue(cursor: Cursor): Json {
  const { kind, text } = cursor.token
  if (kind === 'text') return cursor.take().text
  if (kind === 'number') return Number(cursor.take().text)
  if (cursor.isAt('?')) return cursor.value()
  if (cursor.isAt('[')) return readList(cursor, '[', ']')
  if (kind !== 'name') return cursor.fail('a value')
  switch (text.toLowerCase()) {
    case 'true':
    case 'false':
      return cursor.take().text.toLowerCase() === 'true'
    case 'null':
      cursor.take()
      return null
    case 'date': {
      const [iso] = readArguments(cursor, 1)
      return { __type: 'Date', iso: iso! }
    }
    case 'pointer': {
      const [className, objectId] = readArguments(cursor, 2)
      return { __type: 'Pointer', className: className!, objectId: objectId! }
    }
    case 'geopoint': {
      const [longitude, latitude] = readArguments(cursor, 2)
      return { __type: 'GeoPoint', longitude: longitude!, latitude: latitude! }
    }
    default:
      return cursor.fail('a value (texts stand in quotes)')
  }
}

/** Values between two signs, separated by commas. @throws ApiError 300 */
export function readList(cursor: Cursor, opening: string, closing: string): Json[] {
  cursor.expect(opening)
  const values: Json[] = []
  if (cursor.takes(closing)) return values
  do values.push(cursor.inside(() => readValue(cursor)))
  while (cursor.takes(','))
  cursor.expect(closing)
  return values
}

/** A point on the earth: `geopoint(lng, lat)`, `[lng, lat]`, or a question mark. @throws ApiError 300 */
export function readPoint(cursor: Cursor): Json {
  const value = readValue(cursor)
  if (!Array.isArray(value)) return value
  const [longitude, latitude] = value
  if (value.length !== 2) return cursor.fail('a point of two numbers, longitude and latitude,')
  return { __type: 'GeoPoint', longitude: longitude!, latitude: latitude! }
}

/** @throws ApiError 300 */
export function readNumber(cursor: Cursor, what: string): number {
  const value = cursor.isAt('?') || cursor.token.kind === 'number' ? readValue(cursor) : null
  return typeof value === 'number' ? value : cursor.fail(what)
}

function readArguments(cursor: Cursor, count: number): Json[] {
  const name = cursor.take().text
  const values = readList(cursor, '(', ')')
  return values.length === count ? values : cursor.fail(`${count} values in '${name}(…)'`)
}
