import type { ScaleStep, ViewStep } from './picture-steps.ts'

/** Size in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** Returns the size of the picture after `thumbnail`. */
export function scaledSize(step: ScaleStep, size: Size): Size {
  switch (step.by) {
    case 'percent':
      return rounded({ width: (size.width * step.x) / 100, height: (size.height * step.y) / 100 })
    case 'area': {
      const factor = Math.sqrt(step.pixels / (size.width * size.height))
      // Rounding up could exceed the requested area.
      return atLeastOne({ width: Math.floor(size.width * factor), height: Math.floor(size.height * factor) })
    }
    case 'box':
      return boxedSize(step, size)
  }
}

function boxedSize(step: Extract<ScaleStep, { by: 'box' }>, size: Size): Size {
  const { rule, width, height } = step
  if (rule === 'exact') return { width: width ?? size.width, height: height ?? size.height }
  const ratios = ratiosOf(step, size)
  const factor = rule === 'outside' ? Math.max(...ratios) : Math.min(...ratios)
  if (rule === 'only-smaller' && factor >= 1) return size
  if (rule === 'only-larger' && factor <= 1) return size
  return times(size, factor)
}

/**
 * Returns the size of the picture after `imageView2`, and the box that is cropped from its center. With the rule `inside` an
 * omitted side is not limited; with `outside` it equals the other side.
 */
export function viewedSize(step: ViewStep, size: Size): { readonly full: Size; readonly cut: Size } {
  const isUpright = size.height > size.width
  const box = step.rotatesWithPicture && isUpright ? { width: step.height, height: step.width } : step
  const target = step.rule === 'outside' ? squared(box) : box
  const ratios = ratiosOf(target, size)
  const factor = step.rule === 'outside' ? Math.max(...ratios) : Math.min(...ratios)
  const full = times(size, step.mayEnlarge ? factor : Math.min(1, factor))
  if (!step.cut) return { full, cut: full }
  return {
    full,
    cut: {
      width: Math.min(full.width, target.width ?? full.width),
      height: Math.min(full.height, target.height ?? full.height),
    },
  }
}

interface Box {
  readonly width: number | null
  readonly height: number | null
}

function squared({ width, height }: Box): Box {
  return { width: width ?? height, height: height ?? width }
}

/** Returns the scale factor of each side that is set. */
function ratiosOf(box: Box, size: Size): number[] {
  const ratios = [
    ...(box.width === null ? [] : [box.width / size.width]),
    ...(box.height === null ? [] : [box.height / size.height]),
  ]
  return ratios.length > 0 ? ratios : [1]
}

function times(size: Size, factor: number): Size {
  return rounded({ width: size.width * factor, height: size.height * factor })
}

function rounded({ width, height }: Size): Size {
  return atLeastOne({ width: Math.round(width), height: Math.round(height) })
}

function atLeastOne({ width, height }: Size): Size {
  return { width: Math.max(1, width), height: Math.max(1, height) }
}
