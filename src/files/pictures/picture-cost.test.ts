import { expect, it } from 'vitest'
import { pictureCost } from './picture-cost.ts'
import { parsePictureRequest } from './picture-request.ts'

const MEGA = 1_000_000

it.each([
  // Source and result.
  ['imageView2/2/w/1000', 1, 5 * MEGA, 20 * MEGA],
  ['imageMogr2/thumbnail/4000x', 1, 20 * MEGA, 80 * MEGA],
  // The largest intermediate size counts.
  ['imageMogr2/thumbnail/4000x/crop/10x10', 1, 20 * MEGA, 80 * MEGA],
  // Each pass reads the result of the previous one; only the larger pass is in memory.
  ['imageMogr2/rotate/90/thumbnail/1000x', 1, 13 * MEGA, 32 * MEGA],
  // All frames of an animation.
  ['imageView2/2/w/1000', 10, 50 * MEGA, 200 * MEGA],
])('estimates the cost of %s for %d frames of 2000 × 2000', (query, frames, pixels, bytes) => {
  const request = parsePictureRequest(query)
  if (request?.kind !== 'picture') throw new Error(query)
  const start = { size: { width: 2000, height: 2000 }, orientation: 1 }
  const cost = pictureCost(request.steps, start, frames)
  expect(cost).toEqual({ pixels, bytes })
})
