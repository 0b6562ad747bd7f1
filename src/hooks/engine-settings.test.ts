import { expect, it } from 'vitest'
import { engineSettings } from './engine-settings.ts'

it('requires no engine', () => {
  expect(engineSettings.parse(undefined)).toEqual({})
})

it.each([
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['https://engine.example.org/', 'https://engine.example.org'],
  ['https://example.org/engine//', 'https://example.org/engine'],
])('accepts %s as a base URL, without the trailing slash', (url, base) => {
  expect(engineSettings.parse({ production: url, staging: url })).toEqual({ production: base, staging: base })
})

it.each([
  '',
  'engine',
  'ftp://example.org',
  'https://me:secret@example.org',
  'https://example.org/?a=1',
  'https://example.org/?',
  'https://example.org/#a',
  ' https://example.org',
  'https://example.org/ ',
])("rejects '%s' as a base URL", (production) => {
  expect(engineSettings.safeParse({ production }).success).toBe(false)
})

it('rejects other environments', () => {
  expect(engineSettings.safeParse({ development: 'https://example.org' }).success).toBe(false)
})
