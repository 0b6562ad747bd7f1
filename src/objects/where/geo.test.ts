import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/support/runs.ts'
import { chordBetween, cuboidAround, inBox, longestChord } from './geo.ts'
import type { Box, GeoPoint, Near } from './tree.ts'

const point = (latitude: number, longitude: number): GeoPoint => ({ __type: 'GeoPoint', latitude, longitude })
const box = (south: number, west: number, north: number, east: number): Box => ({
  kind: 'box',
  path: ['f'],
  south,
  west,
  north,
  east,
})

describe('distances', () => {
  it.each([
    [point(0, 0), point(0, 90), Math.SQRT2],
    [point(0, 0), point(0, 180), 2],
    [point(90, 0), point(-90, 77), 2],
    [point(0, 180), point(0, -180), 0],
    [point(12.5, 99), point(12.5, 99), 0],
  ])('from %o to %o is a chord of %f', (a, b, chord) => {
    expect(chordBetween(a, b)).toBeCloseTo(chord, 12)
  })

  it('treats a distance of half the earth or more as unlimited', () => {
    const near = (farthest: number | null): Near => ({
      kind: 'near',
      path: ['f'],
      centre: point(0, 0),
      nearest: null,
      farthest,
    })
    expect(longestChord(near(Math.PI))).toBeNull()
    expect(longestChord(near(100))).toBeNull()
    expect(longestChord(near(null))).toBeNull()
    expect(longestChord(near(Math.PI / 2))).toBeCloseTo(Math.SQRT2, 8)
  })
})

describe('boxes', () => {
  const latitude = fc.integer({ min: -900, max: 900 }).map((tenths) => tenths / 10)
  const longitude = fc.integer({ min: -1800, max: 1800 }).map((tenths) => tenths / 10)

  it('contains every point of the box in its cuboid', () => {
    fc.assert(
      fc.property(
        latitude,
        latitude,
        longitude,
        longitude,
        latitude,
        longitude,
        (a, b, west, east, atLatitude, atLongitude) => {
          const area = box(Math.min(a, b), west, Math.max(a, b), east)
          const spot = point(atLatitude, atLongitude)
          fc.pre(inBox(area, spot))
          const { lowest, highest } = cuboidAround(area)
          const radians = Math.PI / 180
          const place = [
            Math.cos(spot.latitude * radians) * Math.cos(spot.longitude * radians),
            Math.cos(spot.latitude * radians) * Math.sin(spot.longitude * radians),
            Math.sin(spot.latitude * radians),
          ]
          place.forEach((coordinate, axis) => {
            expect(coordinate).toBeGreaterThanOrEqual(lowest[axis]!)
            expect(coordinate).toBeLessThanOrEqual(highest[axis]!)
          })
        },
      ),
      runs(2000),
    )
  })

  it.each([
    ['a small box', box(10, 10, 11, 11), 0.02],
    ['a small box across the antimeridian', box(-1, 179.5, 0, -179.5), 0.02],
    ['a small box at the pole', box(89, 0, 90, 90), 0.02],
  ])('keeps the cuboid around %s small', (_name, area, size) => {
    const { lowest, highest } = cuboidAround(area)
    for (const [axis, low] of lowest.entries()) expect(highest[axis]! - low).toBeLessThan(size)
  })
})
