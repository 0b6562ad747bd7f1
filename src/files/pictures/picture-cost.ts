import { type PicturePass, type PictureState, planPass } from './picture-pass.ts'
import type { PictureStep } from './picture-steps.ts'
import type { Size } from './scaled-size.ts'

/** Estimated resources for one picture. */
export interface PictureCost {
  /** Pixels read and produced, over all passes. */
  readonly pixels: number
  /** Maximum bytes of decoded pixels in memory at a time. */
  readonly bytes: number
}

/** Red, green, blue and alpha. */
const BYTES_OF_PIXEL = 4

/**
 * Estimates the resources for all passes over a picture. The library needs less memory when it can read the file line by line,
 * which depends on the file.
 * @param frames number of frames that are processed together
 */
export function pictureCost(steps: readonly PictureStep[], start: PictureState, frames: number): PictureCost {
  let pixels = 0
  let max = 0
  let state = start
  let rest = steps
  for (let isFirst = true; isFirst || rest.length > 0; isFirst = false) {
    const planned = planPass(rest, state, isFirst)
    const taken = frames * (area(state.size) + Math.max(area(scaled(planned.pass)), area(planned.state.size)))
    pixels += taken
    max = Math.max(max, taken)
    rest = planned.rest
    state = planned.state
  }
  return { pixels, bytes: max * BYTES_OF_PIXEL }
}

function scaled({ scale }: PicturePass): Size {
  return scale ?? { width: 0, height: 0 }
}

function area({ width, height }: Size): number {
  return width * height
}
