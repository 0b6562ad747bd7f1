import type { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { pauseOf } from './acme-requests.ts'
import { pauseAfter, renewalIdentifier, renewalTime } from './renewal-time.ts'

const DAY = 86_400_000
const MINUTE = 60_000

describe('the time of a renewal', () => {
  it.each([
    [90, 60],
    [6, 4],
  ])('of a certificate for %d days is on day %d, or up to a thirtieth of its lifetime earlier', (days, day) => {
    const validity = { validFrom: new Date(0), validUntil: new Date(days * DAY) }
    expect(renewalTime(validity, 0)).toBe(day * DAY)
    expect(renewalTime(validity, 1)).toBe((day - days / 30) * DAY)
  })
  it('names the certificate as in the example of RFC 9773', () => {
    // The extension with the issuer's key identifier, among other bytes.
    const raw = Buffer.from(
      `00010203${'0603551d23'}0418${'3016'}8014${'69885b6b87464041e1b37b847ba0ae2cde01c8d4'}ff`,
      'hex',
    )
    const certificate = { raw, serialNumber: '87654321' } as X509Certificate
    expect(renewalIdentifier(certificate)).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')
    expect(renewalIdentifier({ raw, serialNumber: '1234567' } as X509Certificate)).toBe(
      'aYhba4dGQEHhs3uEe6CuLN4ByNQ.ASNFZw',
    )
    expect(renewalIdentifier({ raw: Buffer.alloc(100), serialNumber: '01' } as X509Certificate)).toBeNull()
  })
})

describe('the pause after failed orders', () => {
  it('grows to eight hours, with at most four orders in the first hour', () => {
    const pauses = Array.from({ length: 9 }, (_, index) => pauseAfter(index + 1, 0) / MINUTE)
    expect(pauses).toEqual([2, 10, 30, 60, 120, 240, 480, 480, 480])
    expect(pauseAfter(1, 1)).toBe(2.4 * MINUTE)
  })
  it.each([
    ['120', 120_000],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 60_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', null],
    ['soon', null],
    [null, null],
  ])('reads %s of the authority as %s milliseconds', (value, expected) => {
    expect(pauseOf(value, 0)).toBe(expected)
  })
})
