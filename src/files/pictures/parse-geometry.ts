import { errors } from '../../errors.ts'
import { integerOf, side } from './parameter-values.ts'
import type { CropStep, ScaleStep } from './picture-steps.ts'

const MAX_PERCENT = 1000
const MAX_PIXELS = 100_000_000

const BOX_RULES = {
  '': 'inside',
  r: 'outside',
  '!': 'exact',
  '>': 'only-smaller',
  '<': 'only-larger',
} as const

const ANCHORS: Readonly<Record<string, CropStep['anchor']>> = {
  northwest: { x: 0, y: 0 },
  north: { x: 0.5, y: 0 },
  northeast: { x: 1, y: 0 },
  west: { x: 0, y: 0.5 },
  center: { x: 0.5, y: 0.5 },
  east: { x: 1, y: 0.5 },
  southwest: { x: 0, y: 1 },
  south: { x: 0.5, y: 1 },
  southeast: { x: 1, y: 1 },
}

/**
 * Parses the size of `thumbnail`: `!50p`, `!50px`, `!x50p`, `200x`, `x200`, `200x100`, `!200x100r`, `200x100!`, `200x100>`,
 * `200x100<`, `10000@`.
 * @throws ApiError 400 for any other form
 */
export function parseThumbnail(text: string): ScaleStep {
  return percentage(text) ?? area(text) ?? box(text) ?? refuse('thumbnail', text)
}

/**
 * Parses the box of `crop`: a size such as `300x400`, `300x` or `x400`, or a size with an offset such as `!300x400a10-20`.
 * @throws ApiError 400 for any other form
 */
export function parseCrop(text: string, anchor: CropStep['anchor']): CropStep {
  const parts = /^!?(\d*)x(\d*)(?:([a-])(\d{1,9})([a-])(\d{1,9}))?$/.exec(text)
  const width = side('the width of crop', parts?.[1])
  const height = side('the height of crop', parts?.[2])
  if (!parts || (width === null && height === null)) return refuse('crop', text)
  const [dx, dy] = [distance(parts[3], parts[4]), distance(parts[5], parts[6])]
  return { step: 'crop', anchor, width, height, dx, dy }
}

/** Parses `gravity`. @throws ApiError 400 when it is not the name of a side or corner */
export function parseGravity(text: string): CropStep['anchor'] {
  const name = text.toLowerCase()
  return Object.hasOwn(ANCHORS, name) ? ANCHORS[name]! : refuse('gravity', text)
}

function percentage(text: string): ScaleStep | null {
  const parts = /^!(?:(\d+)p|(\d+)px|x(\d+)p)$/.exec(text)
  if (!parts) return null
  const [, both, x, y] = parts
  const percent = (part: string | undefined) =>
    part === undefined ? 100 : integerOf('the percentage of thumbnail', part, 1, MAX_PERCENT)
  return { step: 'scale', by: 'percent', x: percent(both ?? x), y: percent(both ?? y) }
}

function area(text: string): ScaleStep | null {
  const parts = /^(\d+)@$/.exec(text)
  if (!parts) return null
  return { step: 'scale', by: 'area', pixels: integerOf('the area of thumbnail', parts[1], 1, MAX_PIXELS) }
}

function box(text: string): ScaleStep | null {
  const parts = /^!?(\d*)x(\d*)([r!<>]?)$/.exec(text)
  if (!parts) return null
  const width = side('the width of thumbnail', parts[1])
  const height = side('the height of thumbnail', parts[2])
  if (width === null && height === null) return null
  return { step: 'scale', by: 'box', rule: BOX_RULES[parts[3] as keyof typeof BOX_RULES], width, height }
}

function distance(sign: string | undefined, digits: string | undefined): number {
  if (digits === undefined) return 0
  const value = integerOf('the offset of crop', digits, 0, 10_000)
  return sign === '-' && value > 0 ? -value : value
}

function refuse(name: string, text: string): never {
  throw errors.badArgument(`${name} of a picture request cannot be '${text.slice(0, 40)}'.`)
}
