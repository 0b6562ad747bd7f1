import { createHash, type X509Certificate } from 'node:crypto'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Pauses after the first, second, … failure in a row; the last one repeats. */
const PAUSES_MS = [2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS]
/** Pauses and renewals are moved by up to this share, so that installations do not all order at the same time. */
const PAUSE_JITTER = 0.2
const RENEWAL_JITTER = 1 / 30

interface Validity {
  readonly validFrom: Date
  readonly validUntil: Date
}

/**
 * Returns when a certificate is renewed, in milliseconds since 1970: when a third of its lifetime is left, or up to a thirtieth of
 * it earlier.
 * @param random from 0 to 1
 */
export function renewalTime({ validFrom, validUntil }: Validity, random: number): number {
  const lifetime = validUntil.getTime() - validFrom.getTime()
  return validUntil.getTime() - lifetime / 3 - lifetime * RENEWAL_JITTER * random
}

/**
 * Returns the milliseconds until the next order after failures: four in the first hour, because Let's Encrypt allows five failed
 * validations of a host name per hour.
 * @param failures failures in a row, at least 1
 * @param random from 0 to 1
 */
export function pauseAfter(failures: number, random: number): number {
  const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1]!
  return pause * (1 + PAUSE_JITTER * random)
}

/** The certificate extension that names the issuer's key (RFC 5280, 4.2.1.1): its object identifier in DER. */
const AUTHORITY_KEY_IDENTIFIER = Buffer.from('0603551d23', 'hex')
/** Tags of DER: an octet string, a sequence, and its first context-specific member. */
const OCTET_STRING = 0x04
const SEQUENCE = 0x30
const KEY_IDENTIFIER = 0x80

/**
 * Returns the identifier by which an authority's renewal information names a certificate: its issuer's key identifier and its
 * serial number (RFC 9773, 4.1). null when the certificate does not name its issuer's key.
 */
export function renewalIdentifier({ raw, serialNumber }: X509Certificate): string | null {
  const found = raw.indexOf(AUTHORITY_KEY_IDENTIFIER)
  if (found < 0) return null
  const start = found + AUTHORITY_KEY_IDENTIFIER.length
  // Each of these has fewer than 128 bytes, so its length is one byte.
  const [octets, , sequence, , member, length] = raw.subarray(start, start + 6)
  if (octets !== OCTET_STRING || sequence !== SEQUENCE || member !== KEY_IDENTIFIER) return null
  const key = raw.subarray(start + 6, start + 6 + length!)
  const hex = serialNumber.length % 2 === 1 ? `0${serialNumber}` : serialNumber
  // As in DER, a number whose first bit is set begins with a zero byte.
  const serial = Buffer.from(Number.parseInt(hex.slice(0, 2), 16) >= 0x80 ? `00${hex}` : hex, 'hex')
  return `${key.toString('base64url')}.${serial.toString('base64url')}`
}

/** Returns a short name for a directory URL, for keys of the store. */
export function directoryName(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 16)
}
