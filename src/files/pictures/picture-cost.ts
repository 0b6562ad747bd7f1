import { type PicturePass, type PictureState, planPass } from './picture-pass.ts'
import type { PictureStep } from './picture-steps.ts'
import type { Size } from './scaled-size.ts'

/** What one picture takes. */
export interface PictureCost {
  /** Pixels that are read and made, those of all passes. */
  readonly pixels: number
  /** Bytes of decoded pixels in memory at a time, at most. */
  readonly bytes: number
}

/** Red, green, blue and transparency. */
const BYTES_OF_PIXEL = 4

/**
 * Estimates what the passes over a picture take. The library holds less where it can read a file line by line; whether it
 * can depends on the file.
 * @param frames that are processed together
 */
export function pictureCost(steps: readonly PictureStep[], start: PictureState, frames: number): PictureCost {
  let pixels = 0
  let most = 0
  let state = start
  let rest = steps
  for (let isFirst = true; isFirst || rest.length > 0; isFirst = false) {
    const planned = planPass(rest, state, isFirst)
    const taken = frames * (area(state.size) + Math.max(area(scaled(planned.pass)), area(planned.state.size)))
    pixels += taken
    most = Math.max(most, taken)
    rest = planned.rest
    state = planned.state
  }
  return { pixels, bytes: most * BYTES_OF_PIXEL }
}

function scaled({ scale }: PicturePass): Size {
  return scale ?? { width: 0, height: 0 }
}

function area({ width, height }: Size): number {
  return width * height
}
