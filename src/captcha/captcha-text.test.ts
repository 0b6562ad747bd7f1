import { expect, it } from 'vitest'
import { CAPTCHA_ALPHABET, GLYPH_HEIGHT, GLYPH_WIDTH, glyphOf } from './captcha-font.ts'
import { captchaText, unguessable } from './captcha-text.ts'

it.each([...CAPTCHA_ALPHABET])('has a complete glyph for %s', (character) => {
  expect(character).toMatch(/^[0-9A-Z]$/)
  const glyph = glyphOf(character)
  expect(glyph.map((row) => row.length)).toEqual(Array(GLYPH_HEIGHT).fill(GLYPH_WIDTH))
  expect(glyph.at(0)).toContain(1)
  expect(glyph.at(-1)).toContain(1)
})

it('has a different glyph for each character', () => {
  const glyphs = [...CAPTCHA_ALPHABET].map((character) => JSON.stringify(glyphOf(character)))
  expect(new Set(glyphs)).toHaveLength(CAPTCHA_ALPHABET.length)
})

it.each(['0ODQ', '1IL', '2Z', '5S', '6G', '8B', 'UV'])('contains at most one of %s', (alike) => {
  expect([...alike].filter((character) => CAPTCHA_ALPHABET.includes(character)).length).toBeLessThan(2)
})

it('has no glyph for a character outside the alphabet', () => {
  expect(() => glyphOf('0')).toThrow('no captcha can show "0"')
})

it.each([3, 4, 5, 6])('returns a text of %i characters', (size) => {
  const text = captchaText(size)
  expect(text).toHaveLength(size)
  expect([...text].filter((character) => !CAPTCHA_ALPHABET.includes(character))).toEqual([])
})

it('selects every character of the alphabet', () => {
  const { length } = CAPTCHA_ALPHABET
  let next = 0
  const text = captchaText(length, () => next++ / length)
  expect(text).toBe(CAPTCHA_ALPHABET)
  expect(captchaText(1, () => 1 - 2 ** -32)).toBe(CAPTCHA_ALPHABET.at(-1))
})

it('returns numbers from 0 to 1 that do not repeat', () => {
  const numbers = Array.from({ length: 100 }, unguessable)
  expect(numbers.filter((number) => number < 0 || number >= 1)).toEqual([])
  expect(new Set(numbers).size).toBeGreaterThan(90)
})
