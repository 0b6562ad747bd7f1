import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../test/support/runs.ts'
import type { ScaleStep, ViewStep } from './picture-steps.ts'
import { scaledSize, viewedSize } from './scaled-size.ts'

const side = fc.integer({ min: 1, max: 10_000 })
const sides = fc
  .record({ width: fc.option(side), height: fc.option(side) })
  .filter(({ width, height }) => width !== null || height !== null)
const size = fc.record({ width: side, height: side })

const scale: fc.Arbitrary<ScaleStep> = fc.oneof(
  fc.record({ step: fc.constant('scale' as const), by: fc.constant('percent' as const), x: side, y: side }),
  fc.record({ step: fc.constant('scale' as const), by: fc.constant('area' as const), pixels: side }),
  fc
    .tuple(sides, fc.constantFrom('inside', 'outside', 'exact', 'only-smaller', 'only-larger'))
    .map(([box, rule]) => ({ step: 'scale' as const, by: 'box' as const, rule, ...box })),
)

const view: fc.Arbitrary<ViewStep> = fc
  .tuple(sides, fc.constantFrom('inside', 'outside'), fc.boolean(), fc.boolean())
  .map(([box, rule, rotatesWithPicture, cut]) => {
    return { step: 'view', rule, rotatesWithPicture, cut, mayEnlarge: false, ...box }
  })

it('scales to whole pixels, at least one per side', () => {
  fc.assert(
    fc.property(scale, size, (step, before) => {
      const { width, height } = scaledSize(step, before)
      expect([Number.isInteger(width), Number.isInteger(height), width > 0, height > 0]).not.toContain(false)
    }),
    runs(500),
  )
})

it('never exceeds an area, except for the minimum of one pixel per side', () => {
  fc.assert(
    fc.property(size, side, (before, pixels) => {
      const { width, height } = scaledSize({ step: 'scale', by: 'area', pixels }, before)
      expect(width === 1 || height === 1 || width * height <= pixels).toBe(true)
    }),
    runs(500),
  )
})

it('never enlarges with imageView2, and crops inside the picture', () => {
  fc.assert(
    fc.property(view, size, (step, before) => {
      const { full, cut } = viewedSize(step, before)
      expect(full.width <= before.width && full.height <= before.height).toBe(true)
      expect(cut.width <= full.width && cut.height <= full.height).toBe(true)
      expect(cut.width > 0 && cut.height > 0).toBe(true)
    }),
    runs(500),
  )
})

it('never exceeds the box with the rule inside', () => {
  fc.assert(
    fc.property(view, size, (step, before) => {
      const { cut } = viewedSize({ ...step, rule: 'inside', rotatesWithPicture: false }, before)
      expect(cut.width <= (step.width ?? Number.POSITIVE_INFINITY)).toBe(true)
      expect(cut.height <= (step.height ?? Number.POSITIVE_INFINITY)).toBe(true)
    }),
    runs(500),
  )
})
