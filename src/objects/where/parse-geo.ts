import { errors } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { normalise } from '../../values/typed.ts'
import { EARTH_RADIUS } from './geo.ts'
import type { ParseContext } from './parse-context.ts'
import { type Path, showPath } from './path.ts'
import type { GeoPoint, Where } from './tree.ts'

const UNITS: readonly (readonly [suffix: string, radius: number])[] = [
  ['', 1],
  ['InRadians', 1],
  ['InMiles', EARTH_RADIUS.miles],
  ['InKilometers', EARTH_RADIUS.kilometres],
]

/** The modifiers of `$nearSphere` (protocol/storage, Where operators). */
export const DISTANCE_OPERATORS: ReadonlySet<string> = new Set(
  UNITS.flatMap(([suffix]) => [`$maxDistance${suffix}`, `$minDistance${suffix}`]),
)

/** Parses `$nearSphere` with its distances; several bounds all apply. @throws ApiError 102, or 302 for an invalid point */
export function parseNear(path: Path, operators: JsonObject, context: ParseContext): Where {
  if (!context.nearSphere) {
    throw errors.invalidQuery(
      `'$nearSphere' of '${showPath(path)}' orders the results, so it must be at the top level of 'where', not inside '$or', '$and' or '$not'.`,
    )
  }
  const farthest = distances(path, operators, '$maxDistance')
  const nearest = distances(path, operators, '$minDistance')
  return {
    kind: 'near',
    path,
    centre: geoPoint(path, '$nearSphere', operators.$nearSphere),
    nearest: nearest.length === 0 ? null : Math.max(...nearest),
    farthest: farthest.length === 0 ? null : Math.min(...farthest),
  }
}

/** Returns the distances of one bound, in radians of arc. */
function distances(path: Path, operators: JsonObject, bound: string): number[] {
  return UNITS.filter(([suffix]) => Object.hasOwn(operators, bound + suffix)).map(([suffix, radius]) => {
    const distance: unknown = operators[bound + suffix]
    if (typeof distance !== 'number' || !(distance >= 0)) {
      throw errors.invalidQuery(`'${bound + suffix}' of '${showPath(path)}' must be a number of 0 or more.`)
    }
    return distance / radius
  })
}

/**
 * Parses `$within` with `$box`, the southwest and then the northeast corner (protocol/storage, Where operators).
 * @throws ApiError 102 or 302
 */
export function parseWithin(path: Path, wire: unknown): Where {
  const corners = isJsonObject(wire) && Object.keys(wire).length === 1 ? wire.$box : undefined
  if (!Array.isArray(corners) || corners.length !== 2) {
    throw errors.invalidQuery(
      `'$within' of '${showPath(path)}' must have only '$box', a list of two GeoPoints: south-west, then north-east.`,
    )
  }
  const [southWest, northEast] = corners.map((corner) => geoPoint(path, '$box', cornerOf(corner))) as [
    GeoPoint,
    GeoPoint,
  ]
  if (southWest.latitude > northEast.latitude) {
    throw errors.invalidQuery(`The '$box' of '${showPath(path)}' must begin with its south-west corner.`)
  }
  return {
    kind: 'box',
    path,
    south: southWest.latitude,
    west: southWest.longitude,
    north: northEast.latitude,
    east: northEast.longitude,
  }
}

/** Python sends corners as plain lists of latitude and longitude (protocol/conventions, Requests). */
function cornerOf(wire: unknown): unknown {
  if (!Array.isArray(wire) || wire.length !== 2) return wire
  const [latitude, longitude] = wire as unknown[]
  return { __type: 'GeoPoint', latitude, longitude }
}

function geoPoint(path: Path, operator: string, wire: unknown): GeoPoint {
  if (!isJsonObject(wire) || wire.__type !== 'GeoPoint') {
    throw errors.invalidQuery(`'${operator}' of '${showPath(path)}' must be a GeoPoint.`)
  }
  return normalise(wire, showPath(path)) as unknown as GeoPoint
}
