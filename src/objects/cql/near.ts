import type { JsonObject } from '../../values/json.ts'
import type { Cursor } from './cursor.ts'
import { readNumber, readPoint } from './values.ts'

const UNITS = [
  ['km', 'InKilometers'],
  ['miles', 'InMiles'],
  ['radians', 'InRadians'],
] as const

/** What stands behind `near`: a point, and perhaps how far away at least and at most. @throws ApiError 300 */
export function readNear(cursor: Cursor): JsonObject {
  return {
    $nearSphere: readPoint(cursor),
    ...(cursor.takes('min') && readDistance(cursor, '$minDistance')),
    ...(cursor.takes('max') && readDistance(cursor, '$maxDistance')),
  }
}

/** A number without a unit is one of radians. */
function readDistance(cursor: Cursor, bound: string): JsonObject {
  const distance = readNumber(cursor, 'a distance')
  const unit = UNITS.find(([name]) => cursor.takes(name))
  return { [bound + (unit?.[1] ?? 'InRadians')]: distance }
}
