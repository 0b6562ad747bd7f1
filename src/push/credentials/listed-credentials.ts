import { type ProviderName, VENDORS } from '../providers/all.ts'
import { expiryOf } from '../providers/apns/apns-certificate.ts'
import type { PushSettings } from '../push-settings.ts'

/** A credential of one provider, without its secrets. */
export interface Credential {
  readonly provider: ProviderName
  /** Apple accepts signing keys, which are named by their teams, and certificates. Vendors have accounts. */
  readonly kind: 'key' | 'certificate' | 'account'
  /** Team id or profile name. */
  readonly name: string
  /** Expiry in milliseconds since the epoch; null: valid until it is revoked. */
  readonly validUntil: number | null
}

/** Lists all configured credentials of an app. */
export function listCredentials(settings: PushSettings): Credential[] {
  const { keys, certificates } = settings.apns
  return [
    ...Object.keys(keys).map((name): Credential => ({ provider: 'apns', kind: 'key', name, validUntil: null })),
    ...Object.entries(certificates).map(([name, certificate]): Credential => {
      const expiry = expiryOf(certificate)
      return { provider: 'apns', kind: 'certificate', name, validUntil: Number.isFinite(expiry) ? expiry : null }
    }),
    ...VENDORS.flatMap(({ name: provider }) =>
      Object.keys(settings[provider]).map(
        (name): Credential => ({ provider, kind: 'account', name, validUntil: null }),
      ),
    ),
  ]
}
