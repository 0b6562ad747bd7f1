import type { Box, GeoPoint, Near } from './tree.ts'

/** Radius of the earth, for converting distances to angles (protocol/storage, Where operators: `$nearSphere`). */
export const EARTH_RADIUS = { kilometres: 6371.0, miles: 3958.8 } as const

/** A point on the unit sphere: x toward longitude 0, y toward longitude 90, z toward the north pole. */
export type Vector = readonly [x: number, y: number, z: number]

/** Tolerance of comparisons, 6 mm on the ground, so that rounding never excludes points on the edge. */
const MARGIN = 1e-9

/** Returns the longest chord allowed by `$nearSphere`, null for no limit. */
export function longestChord({ farthest }: Near): number | null {
  return farthest === null || farthest >= Math.PI ? null : chord(farthest) + MARGIN
}

/** Returns the shortest chord allowed by `$nearSphere`, null for no limit. */
export function shortestChord({ nearest }: Near): number | null {
  return nearest === null ? null : chord(nearest) - MARGIN
}

/** Returns the length of the chord of the unit sphere for an arc of `radians`. */
function chord(radians: number): number {
  return 2 * Math.sin(Math.min(radians, Math.PI) / 2)
}

/** Returns the length of the chord between two points, 0 to 2, as `geo_point(a) <-> geo_point(b)`. */
export function chordBetween(a: GeoPoint, b: GeoPoint): number {
  const [ax, ay, az] = onSphere(a.latitude, a.longitude)
  const [bx, by, bz] = onSphere(b.latitude, b.longitude)
  return Math.hypot(ax - bx, ay - by, az - bz)
}

function onSphere(latitude: number, longitude: number): Vector {
  return [cosine(latitude) * cosine(longitude), cosine(latitude) * sine(longitude), sine(latitude)]
}

/**
 * Returns whether a point is in a box, including its edges; a box whose west is greater than its east crosses the antimeridian.
 */
export function inBox(box: Box, { latitude, longitude }: GeoPoint): boolean {
  if (latitude < box.south || latitude > box.north) return false
  return box.west <= box.east
    ? longitude >= box.west && longitude <= box.east
    : longitude >= box.west || longitude <= box.east
}

/** Returns the smallest axis-parallel cuboid, plus a margin, around the part of the unit sphere that a box covers. */
export function cuboidAround(box: Box): { readonly lowest: Vector; readonly highest: Vector } {
  const east = box.west <= box.east ? box.east : box.east + 360
  const radius = cosineRange(box.south, box.north)
  const x = product(radius, cosineRange(box.west, east))
  const y = product(radius, cosineRange(box.west - 90, east - 90))
  return {
    lowest: [x[0] - MARGIN, y[0] - MARGIN, sine(box.south) - MARGIN],
    highest: [x[1] + MARGIN, y[1] + MARGIN, sine(box.north) + MARGIN],
  }
}

type Range = readonly [lowest: number, highest: number]

/** Returns the range of the cosine between two angles in degrees. */
function cosineRange(from: number, to: number): Range {
  const ends = [cosine(from), cosine(to)]
  const covers = (angle: number) => Math.ceil((from - angle) / 360) * 360 + angle <= to
  return [covers(180) ? -1 : Math.min(...ends), covers(0) ? 1 : Math.max(...ends)]
}

function product(a: Range, b: Range): Range {
  const corners = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]]
  return [Math.min(...corners), Math.max(...corners)]
}

function cosine(degrees: number): number {
  return Math.cos((degrees * Math.PI) / 180)
}

function sine(degrees: number): number {
  return Math.sin((degrees * Math.PI) / 180)
}
