import { PNG } from 'pngjs'
import { expect, it } from 'vitest'
import { CAPTCHA_ALPHABET } from './captcha-font.ts'
import { drawCaptcha } from './captcha-image.ts'

/** Returns a deterministic source of random numbers. */
function course(): () => number {
  let state = 1
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}

const pixels = (file: Buffer) => PNG.sync.read(file).data

/** Counts the pixels that are much darker than the paper. */
function inkIn(file: Buffer): number {
  const data = pixels(file)
  let ink = 0
  for (let offset = 0; offset < data.length; offset += 4) {
    if (data[offset]! + data[offset + 1]! + data[offset + 2]! < 400) ink++
  }
  return ink
}

it.each([
  [60, 30, 3],
  [60, 30, 6],
  [85, 30, 4],
  [200, 30, 6],
  [60, 100, 6],
  [200, 100, 3],
])('draws an image of %i × %i pixels with %i characters as a PNG of that size', (width, height, size) => {
  const image = PNG.sync.read(drawCaptcha('A'.repeat(size), width, height))
  expect([image.width, image.height]).toEqual([width, height])
})

it('draws different images for different texts with the same random numbers', () => {
  expect(drawCaptcha('2345', 85, 30, course())).toEqual(drawCaptcha('2345', 85, 30, course()))
  const images = [...CAPTCHA_ALPHABET].map((character) =>
    drawCaptcha(`A${character}A`, 85, 30, course()).toString('hex'),
  )
  expect(new Set(images)).toHaveLength(CAPTCHA_ALPHABET.length)
})

it('draws a text differently each time', () => {
  expect(pixels(drawCaptcha('2345', 85, 30))).not.toEqual(pixels(drawCaptcha('2345', 85, 30)))
})

it('draws more ink for characters than for noise', () => {
  const noise = inkIn(drawCaptcha('', 85, 30, course()))
  expect(noise).toBeGreaterThan(20)
  expect(inkIn(drawCaptcha('2345', 85, 30, course()))).toBeGreaterThan(2 * noise)
})

it('rejects a character outside the alphabet', () => {
  expect(() => drawCaptcha('A0', 85, 30)).toThrow('no captcha can show')
})
