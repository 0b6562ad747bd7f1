import { describe, expect, it } from 'vitest'
import { isActiveType, isScriptType } from './active-type.ts'
import { isAllowedType, normalizeMimeType } from './mime-type.ts'

describe('a media type', () => {
  it.each<[given: string, normalized: string]>([
    ['image/png', 'image/png'],
    ['IMAGE/PNG', 'image/png'],
    [' image/png ;', 'image/png'],
    ['text/plain;charset=UTF-8', 'text/plain; charset=utf-8'],
    ['text/html; Charset="utf8"', 'text/html; charset=utf-8'],
    ['text/plain; charset=GB2312', 'text/plain; charset=gbk'],
    ['audio/webm;codecs="vp8, opus"', 'audio/webm'],
    ['application/pdf; x="a,text/html"', 'application/pdf'],
    ['application/vnd.ms-excel', 'application/vnd.ms-excel'],
  ])('normalizes %j to %j', (given, normalized) => {
    expect(normalizeMimeType(given)).toBe(normalized)
    expect(normalizeMimeType(normalized)).toBe(normalized)
  })

  it.each([
    '',
    'png',
    'image/',
    '/png',
    'image/png/x',
    'application/pdf;x,text/html',
    'application/pdf,text/html',
    'application/pdf;x=y,text/html',
    'text/plain;x,text/javascript',
    'text/html\r\nset-cookie: a=b',
    'text/plain; charset=utf-7',
    'text/plain; charset=iso-2022-kr',
    'text/plain; charset=utf-8; charset',
    'text/plаin',
    'text/plain\0',
    `text/${'x'.repeat(200)}`,
  ])('rejects %j', (given) => {
    expect(normalizeMimeType(given)).toBeNull()
  })

  it('never contains a comma or control character, for any combination of parts', () => {
    const parts = [
      'text/html',
      'application/pdf',
      ',',
      ';',
      '=',
      ' ',
      '\t',
      '"',
      '\\',
      'x',
      'charset',
      'utf-8',
      '\r\n',
      '\v',
      '\u00a0',
      '*',
    ]
    let seed = 1
    const next = () => {
      seed = (seed * 48_271) % 0x7fffffff
      return parts[seed % parts.length]!
    }
    for (let round = 0; round < 20_000; round++) {
      const given = Array.from({ length: 1 + (round % 9) }, next).join('')
      const normalized = normalizeMimeType(given)
      if (normalized !== null)
        expect(normalized, given).toMatch(/^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+(; charset=[a-z0-9-]+)?$/)
    }
  })
})

it('compares types without their charset', () => {
  expect(isAllowedType('text/plain; charset=utf-8', ['Text/Plain'])).toBe(true)
  expect(isAllowedType('image/png', ['image/*'])).toBe(true)
  expect(isAllowedType('imagex/png', ['image/*'])).toBe(false)
  expect(isAllowedType('text/html', ['text/plain'])).toBe(false)
})

it.each([
  ['text/javascript', true, true],
  ['text/javascript1.5', true, true],
  ['text/jscript', true, true],
  ['text/livescript', true, true],
  ['application/x-ecmascript', true, true],
  ['text/html', false, true],
  ['text/css', false, true],
  ['application/xhtml+xml', false, true],
  ['application/rss+xml', false, true],
  ['multipart/x-mixed-replace', false, true],
  ['message/rfc822', false, true],
  ['application/wasm', false, true],
  ['image/svg+xml', false, false],
  ['image/png', false, false],
  ['application/pdf', false, false],
  ['application/json', false, false],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', false, false],
])('classifies %s: script %s, active %s', (essence, isScript, isActive) => {
  expect([isScriptType(essence), isActiveType(essence)]).toEqual([isScript, isActive])
})
