import type { Json, JsonObject } from '../../values/json.ts'
import type { Cursor } from './cursor.ts'

/**
 * Parses a value: a literal, a function, a list, an object as in JSON, or a question mark. It does not check whether a field can
 * hold the value.
 * @throws ApiError 300
 */
export function readValue(cursor: Cursor): Json {
  const { kind, text } = cursor.token
  if (kind === 'text') return cursor.take().text
  if (kind === 'number') return Number(cursor.take().text)
  if (cursor.isAt('?')) return cursor.value()
  if (cursor.isAt('[')) return readList(cursor, '[', ']')
  if (cursor.isAt('{')) return readObject(cursor)
  if (kind !== 'name') return cursor.fail('a value')
  switch (text.toLowerCase()) {
    case 'true':
    case 'false':
      return cursor.take().text.toLowerCase() === 'true'
    case 'null':
      cursor.take()
      return null
    default:
      return readFunction(cursor)
  }
}

/** Parses a value for which CQL has no literal into its wire form (protocol/storage, Typed values). */
function readFunction(cursor: Cursor): JsonObject {
  switch (cursor.token.text.toLowerCase()) {
    case 'date': {
      const [iso] = readArguments(cursor, 1)
      return { __type: 'Date', iso: iso! }
    }
    case 'current_timestamp':
      readArguments(cursor, 0)
      return { __type: 'Date', iso: cursor.now }
    case 'pointer': {
      const [className, objectId] = readArguments(cursor, 2)
      return { __type: 'Pointer', className: className!, objectId: objectId! }
    }
    case 'file': {
      const [id] = readArguments(cursor, 1)
      return { __type: 'File', id: id! }
    }
    case 'geopoint': {
      const [longitude, latitude] = readArguments(cursor, 2)
      return { __type: 'GeoPoint', longitude: longitude!, latitude: latitude! }
    }
    case 'base64': {
      const [base64] = readArguments(cursor, 1)
      return { __type: 'Bytes', base64: base64! }
    }
    default:
      return cursor.fail('a value (strings must be quoted)')
  }
}

/**
 * Parses values between two signs, separated by commas.
 * @param read parses one of them
 * @throws ApiError 300
 */
export function readList(cursor: Cursor, opening: string, closing: string, read = readValue): Json[] {
  cursor.expect(opening)
  const values: Json[] = []
  if (cursor.takes(closing)) return values
  do values.push(cursor.inside(() => read(cursor)))
  while (cursor.takes(','))
  cursor.expect(closing)
  return values
}

/** Parses `{name: <value>, 'other name': <value>}`; the last of duplicate names counts, as in JSON. */
function readObject(cursor: Cursor): JsonObject {
  cursor.expect('{')
  const members: [string, Json][] = []
  if (cursor.takes('}')) return {}
  do {
    if (cursor.token.kind !== 'name' && cursor.token.kind !== 'text') cursor.fail('the name of a member')
    const name = cursor.take().text
    cursor.expect(':')
    members.push([name, cursor.inside(() => readValue(cursor))])
  } while (cursor.takes(','))
  cursor.expect('}')
  return Object.fromEntries(members)
}

/** Parses a point: `geopoint(lng, lat)`, `[lng, lat]`, or a question mark. @throws ApiError 300 */
export function readPoint(cursor: Cursor): Json {
  const value = readValue(cursor)
  if (!Array.isArray(value)) return value
  const [longitude, latitude] = value
  if (value.length !== 2) return cursor.fail('a point of two numbers, longitude and latitude')
  return { __type: 'GeoPoint', longitude: longitude!, latitude: latitude! }
}

/** Parses a number. @throws ApiError 300 */
export function readNumber(cursor: Cursor, what: string): number {
  const value = cursor.isAt('?') || cursor.token.kind === 'number' ? readValue(cursor) : null
  return typeof value === 'number' ? value : cursor.fail(what)
}

/** Parses the arguments of a function. @throws ApiError 300 unless their number is in the range */
export function readArguments(cursor: Cursor, min: number, max = min): Json[] {
  const name = cursor.take()
  const values = readList(cursor, '(', ')')
  if (values.length >= min && values.length <= max) return values
  const wanted = min === max ? `${min}` : `${min} to ${max}`
  return cursor.refuse(
    name,
    `'${name.text}(…)' takes ${wanted} ${max === 1 ? 'value' : 'values'}, not ${values.length}`,
  )
}
