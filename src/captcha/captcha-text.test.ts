import { expect, it } from 'vitest'
import { CAPTCHA_ALPHABET, GLYPH_HEIGHT, GLYPH_WIDTH, glyphOf } from './captcha-font.ts'
import { captchaText, unguessable } from './captcha-text.ts'

it.each([...CAPTCHA_ALPHABET])('%s has a whole glyph', (character) => {
  expect(character).toMatch(/^[0-9A-Z]$/)
  const glyph = glyphOf(character)
  expect(glyph.map((row) => row.length)).toEqual(Array(GLYPH_HEIGHT).fill(GLYPH_WIDTH))
  expect(glyph.at(0)).toContain(1)
  expect(glyph.at(-1)).toContain(1)
})

it('no two characters have the same glyph', () => {
  const glyphs = [...CAPTCHA_ALPHABET].map((character) => JSON.stringify(glyphOf(character)))
  expect(new Set(glyphs)).toHaveLength(CAPTCHA_ALPHABET.length)
})

it.each(['0ODQ', '1IL', '2Z', '5S', '6G', '8B', 'UV'])('of %s at most one can occur', (alike) => {
  expect([...alike].filter((character) => CAPTCHA_ALPHABET.includes(character)).length).toBeLessThan(2)
})

it('a character that is not of the alphabet has no glyph', () => {
  expect(() => glyphOf('0')).toThrow('no captcha can show "0"')
})

it.each([3, 4, 5, 6])('a text of size %i has as many characters', (size) => {
  const text = captchaText(size)
  expect(text).toHaveLength(size)
  expect([...text].filter((character) => !CAPTCHA_ALPHABET.includes(character))).toEqual([])
})

it('chance reaches every character from the first to the last', () => {
  const { length } = CAPTCHA_ALPHABET
  let next = 0
  const text = captchaText(length, () => next++ / length)
  expect(text).toBe(CAPTCHA_ALPHABET)
  expect(captchaText(1, () => 1 - 2 ** -32)).toBe(CAPTCHA_ALPHABET.at(-1))
})

it('chance lies from 0 up to 1 and does not repeat itself', () => {
  const numbers = Array.from({ length: 100 }, unguessable)
  expect(numbers.filter((number) => number < 0 || number >= 1)).toEqual([])
  expect(new Set(numbers).size).toBeGreaterThan(90)
})
