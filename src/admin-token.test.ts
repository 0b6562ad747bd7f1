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

test('generates a token once and keeps it in a private file', () => {
  const token = adminToken(directory)
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(adminToken(directory)).toBe(token)
  const file = join(directory, 'admin-token')
  expect(readFileSync(file, 'utf8')).toBe(`${token}\n`)
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('prefers a configured token and does not store it', () => {
  const kept = adminToken(directory)
  expect(adminToken(directory, 'given')).toBe('given')
  expect(adminToken(directory)).toBe(kept)
})

test('reads a token written by hand without the line end', () => {
  writeFileSync(join(directory, 'admin-token'), 'mine\r\n')
  expect(adminToken(directory)).toBe('mine')
})

test('treats an empty file as missing', () => {
  writeFileSync(join(directory, 'admin-token'), '')
  expect(adminToken(directory)).toHaveLength(43)
})
