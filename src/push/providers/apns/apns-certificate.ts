import { X509Certificate } from 'node:crypto'
import { errors } from '../../../errors.ts'
import type { ApnsSettings } from './apns-settings.ts'

export type ApnsCertificate = ApnsSettings['certificates'][string]

/** Returns the certificate for devices with a profile: the one of that name, else `_default` if there are no keys. */
export function certificateFor(
  { keys, certificates }: Pick<ApnsSettings, 'keys' | 'certificates'>,
  profile: string | null,
): ApnsCertificate | undefined {
  const named = profile !== null && Object.hasOwn(certificates, profile) ? certificates[profile] : undefined
  return named ?? (Object.keys(keys).length === 0 ? certificates._default : undefined)
}

/**
 * Rejects a push that would use an expired certificate. Call this only for pushes to iOS devices alone: a push with other devices
 * is sent to those, and its record contains the error.
 * @throws ApiError 1 (protocol/push, Errors of a request)
 */
export function checkCertificate(settings: ApnsSettings, profile: string | null, now = Date.now()): void {
  const certificate = certificateFor(settings, profile)
  if (certificate && expiryOf(certificate) < now)
    throw errors.badArgument('The iOS certificate file is expired or disabled.')
}

/** Returns the expiry in milliseconds since the epoch; Infinity for an unreadable certificate, which the push reports. */
export function expiryOf({ certificate }: ApnsCertificate): number {
  try {
    return Date.parse(new X509Certificate(certificate).validTo)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
