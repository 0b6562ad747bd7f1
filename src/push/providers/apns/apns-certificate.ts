import { X509Certificate } from 'node:crypto'
import { errors } from '../../../errors.ts'
import type { ApnsSettings } from './apns-settings.ts'

export type ApnsCertificate = ApnsSettings['certificates'][string]

/** What devices with a profile are reached by: the certificate of that name, else, where there are no keys, `_default`. */
export function certificateFor(
  { keys, certificates }: Pick<ApnsSettings, 'keys' | 'certificates'>,
  profile: string | null,
): ApnsCertificate | undefined {
  const named = profile !== null && Object.hasOwn(certificates, profile) ? certificates[profile] : undefined
  return named ?? (Object.keys(keys).length === 0 ? certificates._default : undefined)
}

/**
 * To be called before a push that is for iOS alone: where other devices are meant too, these are reached all the same, and
 * the record says what is wrong.
 * @throws ApiError 1 when it would show a certificate that has expired (protocol/push, Errors of a request)
 */
export function checkCertificate(settings: ApnsSettings, profile: string | null, now = Date.now()): void {
  const certificate = certificateFor(settings, profile)
  if (certificate && expiryOf(certificate) < now)
    throw errors.badArgument('The iOS certificate file is expired or disabled.')
}

/** In milliseconds; Infinity of what is no certificate, which the record will say. */
export function expiryOf({ certificate }: ApnsCertificate): number {
  try {
    return Date.parse(new X509Certificate(certificate).validTo)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
