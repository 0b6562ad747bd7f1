import { errors } from '../../errors.ts'
import type { CropStep, PictureStep } from './picture-steps.ts'
import { type Size, scaledSize, viewedSize } from './scaled-size.ts'

/**
 * Operations that the image library applies in one pass, in this order: auto-orient, scale, crop, blur, sharpen. Rotation by an
 * angle needs its own pass.
 */
export interface PicturePass {
  readonly orient?: true
  readonly scale?: Size
  readonly cut?: Size & { readonly left: number; readonly top: number }
  /** Standard deviation in pixels. */
  readonly blur?: number
  readonly sharpen?: true
  /** Mirrored horizontally first, then rotated clockwise. */
  readonly rotation?: { readonly mirror: boolean; readonly degrees: number }
}

/** A picture between two passes. */
export interface PictureState {
  readonly size: Size
  /** EXIF orientation; 1 is upright. */
  readonly orientation: number
}

export interface Planned {
  readonly pass: PicturePass
  readonly rest: readonly PictureStep[]
  readonly state: PictureState
}

/** The transformation that makes a picture upright, by EXIF orientation. */
const EXIF_TRANSFORMS: Readonly<Record<number, { readonly mirror: boolean; readonly degrees: number }>> = {
  2: { mirror: true, degrees: 0 },
  3: { mirror: false, degrees: 180 },
  4: { mirror: true, degrees: 180 },
  5: { mirror: true, degrees: 270 },
  6: { mirror: false, degrees: 90 },
  7: { mirror: true, degrees: 90 },
  8: { mirror: false, degrees: 270 },
}

/**
 * Plans one pass with as many steps as possible.
 * @param isFirst whether the pass reads the file itself, where auto-orientation is free
 * @throws ApiError 400 when a crop leaves no pixels
 */
export function planPass(steps: readonly PictureStep[], start: PictureState, isFirst: boolean): Planned {
  let pass: PicturePass = {}
  let state = start
  for (const [at, step] of steps.entries()) {
    const next = withStep(step, pass, state, isFirst)
    if (!next) return { pass, rest: steps.slice(at), state }
    pass = next.pass
    state = next.state
    if (pass.rotation) return { pass, rest: steps.slice(at + 1), state }
  }
  return { pass, rest: [], state }
}

/** Adds a step to a pass; null when the step needs another pass. */
function withStep(
  step: PictureStep,
  pass: PicturePass,
  state: PictureState,
  isFirst: boolean,
): { readonly pass: PicturePass; readonly state: PictureState } | null {
  const { size, orientation } = state
  const isUntouched = Object.keys(pass).length === 0
  const canScale = !pass.scale && canCut(pass)
  switch (step.step) {
    case 'orient': {
      const rotate = EXIF_TRANSFORMS[orientation]
      if (!rotate) return { pass, state }
      if (!isUntouched) return null
      const upright = { size: rotate.degrees % 180 === 0 ? size : flipped(size), orientation: 1 }
      return { pass: isFirst ? { orient: true } : { rotation: rotate }, state: upright }
    }
    case 'scale': {
      const scale = scaledSize(step, size)
      if (same(scale, size)) return { pass, state }
      return canScale ? { pass: { ...pass, scale }, state: { ...state, size: scale } } : null
    }
    case 'view': {
      const { full, cut } = viewedSize(step, size)
      const isUncut = same(full, cut)
      if (isUncut && same(full, size)) return { pass, state }
      if (!canScale) return null
      const middle = {
        left: Math.floor((full.width - cut.width) / 2),
        top: Math.floor((full.height - cut.height) / 2),
      }
      return {
        pass: { ...pass, ...(!same(full, size) && { scale: full }), ...(!isUncut && { cut: { ...cut, ...middle } }) },
        state: { ...state, size: cut },
      }
    }
    case 'crop': {
      const cut = croppedBox(step, size)
      if (same(cut, size)) return { pass, state }
      const next = { ...state, size: { width: cut.width, height: cut.height } }
      return canCut(pass) ? { pass: { ...pass, cut }, state: next } : null
    }
    case 'rotate':
      if (step.degrees === 0) return { pass, state }
      return isUntouched
        ? {
            pass: { rotation: { mirror: false, degrees: step.degrees } },
            state: { size: rotated(size, step.degrees), orientation },
          }
        : null
    case 'blur':
      // A box blur of the given radius has a standard deviation of radius / √3, which is the maximum here.
      return pass.blur === undefined && !pass.sharpen
        ? { pass: { ...pass, blur: Math.max(0.3, Math.min(step.sigma, step.radius / Math.sqrt(3))) }, state }
        : null
    case 'sharpen':
      return pass.sharpen ? null : { pass: { ...pass, sharpen: true }, state }
  }
}

function canCut(pass: PicturePass): boolean {
  return !pass.cut && pass.blur === undefined && !pass.sharpen
}

/** Returns the part of the picture inside the crop box. @throws ApiError 400 when the box is outside the picture */
function croppedBox(step: CropStep, size: Size): Size & { left: number; top: number } {
  const x = within(step.anchor.x, step.width ?? size.width, step.dx, size.width)
  const y = within(step.anchor.y, step.height ?? size.height, step.dy, size.height)
  if (!x || !y) throw errors.badArgument('crop of a picture request must overlap the picture.')
  return { left: x.start, width: x.length, top: y.start, height: y.length }
}

/** Clips the box to the picture in one dimension. From the far edge, a positive offset moves inwards. */
function within(anchor: 0 | 0.5 | 1, length: number, move: number, full: number) {
  const start = Math.floor((full - length) * anchor) + (anchor === 1 ? -move : move)
  const [from, to] = [Math.max(0, start), Math.min(full, start + length)]
  return to > from ? { start: from, length: to - from } : null
}

/** Returns the bounding box of a rotated picture. */
function rotated({ width, height }: Size, degrees: number): Size {
  if (degrees % 90 === 0) return degrees % 180 === 0 ? { width, height } : { width: height, height: width }
  const angle = (degrees * Math.PI) / 180
  const [sin, cos] = [Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))]
  return { width: Math.ceil(width * cos + height * sin), height: Math.ceil(width * sin + height * cos) }
}

function flipped({ width, height }: Size): Size {
  return { width: height, height: width }
}

function same(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height
}
