import { expect, it } from 'vitest'
import { hookSignature } from './hook-signature.ts'

it('is the time, and the HMAC-SHA1 of name and time with the master key', () => {
  expect(hookSignature('__before_for_Review', 'mk-demo-0001', 1_700_000_000_000)).toBe(
    '1700000000000,1f9108371bbb34497c94c81570727eba5a02aff9',
  )
})
