import type { JsonObject } from '../../values/json.ts'
import type { Cursor } from './cursor.ts'
import { readNumber, readPoint } from './values.ts'

const UNITS = [
  ['km', 'InKilometers'],
  ['miles', 'InMiles'],
  ['radians', 'InRadians'],
] as const

/** Parses the text after `near`: a point, and optional minimum and maximum distances. @throws ApiError 300 */
export function readNear(cursor: Cursor): JsonObject {
  return {
    $nearSphere: readPoint(cursor),
    ...(cursor.takes('min') && readDistance(cursor, '$minDistance')),
    ...(cursor.takes('max') && readDistance(cursor, '$maxDistance')),
  }
}

/** Parses a distance; without a unit it is in radians. */
function readDistance(cursor: Cursor, bound: string): JsonObject {
  const distance = readNumber(cursor, 'a distance')
  const unit = UNITS.find(([name]) => cursor.takes(name))
  return { [bound + (unit?.[1] ?? 'InRadians')]: distance }
}
