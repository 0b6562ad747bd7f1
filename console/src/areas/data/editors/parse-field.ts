import type { Field } from '../../../api/classes.ts'
import {
  parseArray,
  parseBase64,
  parseBoolean,
  parseGeoPoint,
  parseIsoTime,
  parseJson,
  parseNumber,
  parseObject,
  parseObjectId,
  Unparsed,
} from '../../../parts/entry/parse-entry.ts'
import { pointerTo } from '../values/typed-value.ts'

/**
 * Parses a text as a value of a field by its type, for cells of a spreadsheet and editors with a single text.
 * @returns `Unparsed` for an invalid text
 */
export function parseField(field: Field, text: string): unknown {
  switch (field.type) {
    case 'String':
      return text
    case 'Number':
      return parseNumber(text)
    case 'Boolean':
      return parseBoolean(text)
    case 'Date':
      return parseIsoTime(text)
    case 'GeoPoint':
      return parseGeoPoint(text)
    case 'Pointer':
      return withId(text, (id) => pointerTo(field.className ?? '', id))
    case 'File':
      return withId(text, (id) => ({ __type: 'File', id }))
    case 'Bytes': {
      const base64 = parseBase64(text)
      return base64 instanceof Unparsed ? base64 : { __type: 'Bytes', base64 }
    }
    case 'Array':
      return parseArray(text)
    case 'Object':
    case 'ACL':
      return parseObject(text)
    default:
      return parseJson(text)
  }
}

function withId(text: string, make: (id: string) => unknown): unknown {
  const id = parseObjectId(text)
  return id instanceof Unparsed ? id : make(id)
}
