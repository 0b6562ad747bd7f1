import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../test/support/runs.ts'
import { ApiError } from '../../errors.ts'
import { parsePictureRequest } from './picture-request.ts'

const parsed = (query: string) => {
  const request = parsePictureRequest(query)
  if (request?.kind !== 'picture') throw new Error(`no picture request: ${query}`)
  return request
}
const steps = (query: string) => parsed(query).steps
const output = (query: string) => parsed(query).output
const orient = { step: 'orient' }
const plain = { format: null, quality: null, progressive: false, strip: false }
const view = {
  step: 'view',
  rule: 'inside',
  rotatesWithPicture: false,
  cut: false,
  mayEnlarge: false,
  width: null,
  height: null,
}
const box = { step: 'scale', by: 'box', rule: 'inside', width: null, height: null }
const crop = { step: 'crop', anchor: { x: 0, y: 0 }, width: null, height: null, dx: 0, dy: 0 }

it.each([
  ['imageView2/0/w/200/h/100', { rotatesWithPicture: true, width: 200, height: 100 }],
  ['imageView2/1/w/200/h/100', { rule: 'outside', cut: true, width: 200, height: 100 }],
  ['imageView2/2/w/200', { width: 200 }],
  ['imageView2/2/h/100', { height: 100 }],
  ['imageView2/2/w/200/h/0', { width: 200 }],
  ['imageView2/3/w/200/h/100', { rule: 'outside', width: 200, height: 100 }],
  ['imageView2/4/w/200/h/100', { rule: 'outside', rotatesWithPicture: true, width: 200, height: 100 }],
  ['imageView2/5/h/100/w/200/', { rule: 'outside', rotatesWithPicture: true, cut: true, width: 200, height: 100 }],
  ['imageView/1/w/200/h/100', { rule: 'outside', cut: true, mayEnlarge: true, width: 200, height: 100 }],
  ['imageView/2/w/200/h/100/q/100/format/png', { width: 200, height: 100 }],
])('parses %s as auto-orientation followed by scaling', (query, expected) => {
  expect(steps(query)).toEqual([orient, { ...view, ...expected }])
})

it('only auto-orients for imageView2 without a box', () => {
  expect(steps('imageView2/2/format/webp')).toEqual([orient])
})

it.each([
  ['!50p', { step: 'scale', by: 'percent', x: 50, y: 50 }],
  ['!50px', { step: 'scale', by: 'percent', x: 50, y: 100 }],
  ['!x50p', { step: 'scale', by: 'percent', x: 100, y: 50 }],
  ['200x', { ...box, width: 200 }],
  ['x200', { ...box, height: 200 }],
  ['200x100', { ...box, width: 200, height: 100 }],
  ['!200x100', { ...box, width: 200, height: 100 }],
  ['!200x100r', { ...box, rule: 'outside', width: 200, height: 100 }],
  ['200x100!', { ...box, rule: 'exact', width: 200, height: 100 }],
  ['200x100>', { ...box, rule: 'only-smaller', width: 200, height: 100 }],
  ['200x100%3E', { ...box, rule: 'only-smaller', width: 200, height: 100 }],
  ['200x100<', { ...box, rule: 'only-larger', width: 200, height: 100 }],
  ['200x100%3c', { ...box, rule: 'only-larger', width: 200, height: 100 }],
  ['%21200x100r', { ...box, rule: 'outside', width: 200, height: 100 }],
  ['10000@', { step: 'scale', by: 'area', pixels: 10000 }],
  ['10000%40', { step: 'scale', by: 'area', pixels: 10000 }],
])('parses thumbnail/%s', (geometry, expected) => {
  expect(steps(`imageMogr2/thumbnail/${geometry}`)).toEqual([expected])
})

it.each([
  ['crop/300x400', { width: 300, height: 400 }],
  ['crop/300x', { width: 300 }],
  ['crop/x400', { height: 400 }],
  ['crop/!300x400a10a20', { width: 300, height: 400, dx: 10, dy: 20 }],
  ['crop/!300x400-10a20', { width: 300, height: 400, dx: -10, dy: 20 }],
  ['crop/!300x400a10-20', { width: 300, height: 400, dx: 10, dy: -20 }],
  ['crop/!300x400-0-20', { width: 300, height: 400, dx: 0, dy: -20 }],
  ['gravity/Center/crop/300x400', { width: 300, height: 400, anchor: { x: 0.5, y: 0.5 } }],
  ['gravity/southeast/crop/300x400', { width: 300, height: 400, anchor: { x: 1, y: 1 } }],
])('parses the crop %s', (words, expected) => {
  expect(steps(`imageMogr2/${words}`)).toEqual([{ ...crop, ...expected }])
})

it('applies gravity only to the crops after it', () => {
  const [before, after] = steps('imageMogr2/crop/9x9/gravity/East/crop/9x9')
  expect(before).toMatchObject({ anchor: { x: 0, y: 0 } })
  expect(after).toMatchObject({ anchor: { x: 1, y: 0.5 } })
})

it('keeps pixel operations in the order of the request', () => {
  const query = 'imageMogr2/auto-orient/thumbnail/200x/strip/crop/100x100/rotate/90/blur/3x5/format/webp/quality/60!'
  expect(steps(query).map(({ step }) => step)).toEqual(['orient', 'scale', 'crop', 'rotate', 'blur'])
  expect(output(query)).toEqual({ format: 'webp', quality: 60, progressive: false, strip: true })
})

it.each([
  ['rotate/45', [{ step: 'rotate', degrees: 45 }]],
  ['rotate/360', [{ step: 'rotate', degrees: 0 }]],
  ['rotate/-90', [{ step: 'rotate', degrees: 270 }]],
  ['blur/3x0.5', [{ step: 'blur', radius: 3, sigma: 0.5 }]],
  ['sharpen/1', [{ step: 'sharpen' }]],
  ['sharpen/0', []],
  ['size-limit/20k!', []],
])('parses the steps of %s', (words, expected) => {
  expect(steps(`imageMogr2/${words}`)).toEqual(expected)
})

it.each([
  ['imageView2/2/w/9/q/80/format/JPG/interlace/1', { quality: 80, format: 'jpeg', progressive: true }],
  ['imageMogr2/quality/80/format/avif/interlace/0', { quality: 80, format: 'avif', progressive: false }],
  ['imageView2/2/w/9/format/png|imageMogr2/rotate/90', { format: 'png' }],
  ['imageView2/2/w/9/format/png|imageMogr2/format/gif', { format: 'gif' }],
])('parses the output options of %s', (query, expected) => {
  expect(output(query)).toEqual({ ...plain, ...expected })
})

it.each([
  'imageMogr2/auto-orient/thumbnail/200x|imageView2/1/w/100',
  'imageMogr2/auto-orient/thumbnail/200x%7CimageView2/1/w/100',
  'imageMogr2/auto-orient/thumbnail/200x%7cimageView2/1/w/100|imageslim',
  'imageMogr2%2Fauto-orient%2Fthumbnail%2F200x%7CimageView2%2F1%2Fw%2F100=',
  'imageMogr2/auto-orient/thumbnail/200x|imageView2/1/w/100&attname=a.png',
  'attname=image&imageMogr2/auto-orient/thumbnail/200x|imageView2/1/w/100&e=1&token=a:b',
  'imageMogr/v2/auto-orient/thumbnail/200x|imageView2/1/w/100',
])('parses a chain regardless of encoding and other parameters: %s', (query) => {
  expect(steps(query).map(({ step }) => step)).toEqual(['orient', 'scale', 'orient', 'view'])
})

it('gives requests with the same result the same cache key', () => {
  const key = parsed('imageView2/2/w/200/h/100/q/80').cacheKey
  expect(parsed('attname=x&imageView2/2/q/80/h/100/w/200/interlace/0').cacheKey).toBe(key)
  expect(parsed('imageView2/2/w/200/h/100/q/80/ignore-error/1').cacheKey).toBe(key)
  expect(parsed('imageView2/2/w/200/h/100/q/81').cacheKey).not.toBe(key)
  expect(parsed('imageView2/0/w/200/h/100/q/80').cacheKey).not.toBe(key)
})

it('parses ignore-error in both operations', () => {
  expect(parsed('imageView2/2/w/9/ignore-error/1').ignoreError).toBe(true)
  expect(parsed('imageMogr2/thumbnail/9x/ignore-error/1').ignoreError).toBe(true)
  expect(parsed('imageView2/2/w/9/ignore-error/0').ignoreError).toBe(false)
})

it('parses imageInfo', () => {
  expect(parsePictureRequest('imageInfo')).toMatchObject({ kind: 'info' })
  expect(parsePictureRequest('imageInfo&e=1')).toMatchObject({ kind: 'info' })
})

it.each([
  '',
  'attname=a.png',
  'e=1&token=a:b',
  'v=imageView2/2/w/200',
  'image',
  'imageView3/2/w/200',
  'imageView2',
  'imageView2/',
  'imageView2/6/w/200',
  'imageView2/toString/w/200',
  'imageView/3/w/200',
  'imageView2/2/w',
  'imageView2/2/width/200',
  'imageView2/2/__proto__/200',
  'imageMogr2/frobnicate/1',
  'imageMogr2/thumbnail',
  'imageMogr2/constructor/1',
  'imageInfo/1',
  'imageInfo|imageView2/2/w/200',
  'imageAve',
  'exif',
  'imageView2/2/w/200|watermark/1/image/aHR0cDovL2E=',
  'imageView2/2/w/200|',
  'imageView2/2/w/200%',
  'imageView2/2/w/200%ff',
  'imageView２/2/w/200',
  '图片=imageView2/2/w/200',
])('ignores %j, which is not a known picture request', (query) => {
  expect(parsePictureRequest(query)).toBeNull()
})

it.each([
  ['imageView2/2/w/-1', /^w /],
  ['imageView2/2/w/1.5', /^w /],
  ['imageView2/2/w/٣', /^w /],
  ['imageView2/2/w/NaN', /^w /],
  ['imageView2/2/w/10001', /^w /],
  ['imageView2/2/w/99999999999999999999999999', /^w /],
  ['imageView2/2/w/1e3', /^w /],
  ['imageView2/2/q/0', /^q /],
  ['imageView2/2/q/101', /^q /],
  ['imageView2/2/format/svg', /^format /],
  ['imageView2/2/format/constructor', /^format /],
  ['imageView2/2/interlace/2', /^interlace /],
  ['imageMogr2/thumbnail/x', /^thumbnail /],
  ['imageMogr2/thumbnail/0x0', /^thumbnail /],
  ['imageMogr2/thumbnail/-200x', /^thumbnail /],
  ['imageMogr2/thumbnail/200x100?', /^thumbnail /],
  ['imageMogr2/thumbnail/!0p', /thumbnail /],
  ['imageMogr2/thumbnail/!1001p', /thumbnail /],
  ['imageMogr2/thumbnail/99999999999@', /thumbnail /],
  ['imageMogr2/thumbnail/図x図', /^thumbnail /],
  ['imageMogr2/crop/x', /^crop /],
  ['imageMogr2/crop/!9x9a1', /^crop /],
  ['imageMogr2/crop/!9x9a99999999a1', /crop /],
  ['imageMogr2/gravity/Up/crop/9x9', /^gravity /],
  ['imageMogr2/gravity/__proto__/crop/9x9', /^gravity /],
  ['imageMogr2/rotate/361', /^rotate /],
  ['imageMogr2/rotate/--1', /^rotate /],
  ['imageMogr2/blur/51x1', /blur /],
  ['imageMogr2/blur/3x0', /^blur /],
  ['imageMogr2/blur/3', /^blur /],
  ['imageMogr2/quality/200', /^quality /],
])('rejects %s with an error that names the parameter', (query, text) => {
  expect(() => parsePictureRequest(query)).toThrow(text)
  expect(() => parsePictureRequest(query)).toThrow(ApiError)
})

it.each([
  ['ten thousand operations', Array(10_000).fill('imageslim').join('|')],
  ['many steps in few characters', `imageMogr2/${Array(21).fill('rotate/9').join('/')}`],
  ['a long geometry', `imageMogr2/thumbnail/${'1'.repeat(100_000)}x`],
  ['a long geometry in escapes', `imageMogr2/thumbnail/${'%31'.repeat(1000)}x`],
])('rejects %s', (_, query) => {
  expect(() => parsePictureRequest(query)).toThrow(ApiError)
})

it('ignores a long value of another parameter', () => {
  expect(parsePictureRequest(`token=${'a'.repeat(100_000)}&imageView2/2/w/9`)).not.toBeNull()
})

const words = [
  'imageView2',
  'imageMogr2',
  'imageInfo',
  '/',
  '|',
  '&',
  '=',
  '%',
  '%7C',
  '2',
  'w',
  'h',
  '200',
  'format',
  'png',
  '-1',
  '!',
]
const names = [
  'thumbnail',
  'crop',
  'gravity',
  'rotate',
  'blur',
  'strip',
  'x',
  '>',
  '<',
  '@',
  'a',
  'r',
  'p',
  '3x5',
  'Center',
  '\u0000',
  '图',
]
const likely = fc.array(fc.constantFrom(...words, ...names), { maxLength: 30 }).map((parts) => parts.join(''))
const slashed = fc
  .array(fc.constantFrom(...words, ...names), { maxLength: 12 })
  .map((parts) => `imageMogr2/${parts.join('/')}`)

it('returns a bounded request or null, or throws an ApiError, for any query', () => {
  const check = (query: string) => {
    try {
      const request = parsePictureRequest(query)
      if (request?.kind === 'picture') expect(request.steps.length).toBeLessThanOrEqual(20)
      if (request) expect(request.cacheKey.length).toBeLessThan(10_000)
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError)
    }
  }
  fc.assert(fc.property(fc.oneof(likely, slashed, fc.string({ unit: 'binary' })), check), runs(2000))
})
