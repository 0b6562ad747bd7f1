import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { adminToken } from './admin-token.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'homeport-token-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

test('a token is generated once and kept, closed to others', () => {
  const token = adminToken(directory)
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(adminToken(directory)).toBe(token)
  const file = join(directory, 'admin-token')
  expect(readFileSync(file, 'utf8')).toBe(`${token}\n`)
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a given token wins and is not written', () => {
  const kept = adminToken(directory)
  expect(adminToken(directory, 'given')).toBe('given')
  expect(adminToken(directory)).toBe(kept)
})

test('a token written by hand is read without the line end', () => {
  writeFileSync(join(directory, 'admin-token'), 'mine\r\n')
  expect(adminToken(directory)).toBe('mine')
})

test('an empty file counts as none', () => {
  writeFileSync(join(directory, 'admin-token'), '')
  expect(adminToken(directory)).toHaveLength(43)
})
