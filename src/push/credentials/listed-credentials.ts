import { type ProviderName, VENDORS } from '../providers/all.ts'
import { expiryOf } from '../providers/apns/apns-certificate.ts'
import type { PushSettings } from '../push-settings.ts'

/** What one provider is shown, without its secrets. */
export interface Credential {
  readonly provider: ProviderName
  /** Apple takes signing keys, which are named by their teams, and certificates; each vendor has accounts of its own. */
  readonly kind: 'key' | 'certificate' | 'account'
  /** The id of the team, or the profile. */
  readonly name: string
  /** Milliseconds; null: it ends when it is taken back. */
  readonly validUntil: number | null
}

/** All credentials that an app has been given. */
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
