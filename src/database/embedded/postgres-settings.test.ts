import { expect, test } from 'vitest'
import { postgresSettings } from './postgres-settings.ts'

const gibibyte = 1024 ** 3

test.each([
  [0.25 * gibibyte, '64MB'],
  [2 * gibibyte, '256MB'],
  [64 * gibibyte, '1024MB'],
])('sizes buffers for %d bytes of memory as %s', (memory, buffers) => {
  expect(postgresSettings(memory).shared_buffers).toBe(buffers)
})
