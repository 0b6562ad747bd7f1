import type { KeyPair } from './key-pair.ts'

/** The state of a certificate, for monitoring. */
export interface CertificateStatus {
  /** The host names for which it is served; empty for certificate files without `--domain`. */
  readonly names: readonly string[]
  readonly source: 'acme' | 'files'
  /** null: there is none yet */
  readonly validFrom: Date | null
  readonly validUntil: Date | null
  /** Days until it expires, with fractions, negative afterwards; null: there is none yet. */
  readonly daysLeft: number | null
  /** When it is renewed, or the next attempt after a failed one; null: when its files change. */
  readonly nextAttempt: Date | null
  /** Why the last attempt failed; null after a successful one. */
  readonly lastError: { readonly at: Date; readonly reason: string } | null
}

/** The certificates of the server, which are replaced while it serves. */
export interface Certificates {
  /**
   * Returns the pair for the host name of a handshake; that of the first name for other names and for clients that send none.
   * null: there is none yet.
   */
  pairFor(name: string | undefined): KeyPair | null
  /** Calls a listener after each replacement. */
  onChange(listener: () => void): void
  status(): readonly CertificateStatus[]
}

const DAY_MS = 86_400_000

/** Returns the dates of a pair for `CertificateStatus`. @param now milliseconds since 1970 */
export function datesOf(
  pair: KeyPair | null,
  now: number,
): Pick<CertificateStatus, 'validFrom' | 'validUntil' | 'daysLeft'> {
  if (!pair) return { validFrom: null, validUntil: null, daysLeft: null }
  const { validFrom, validUntil } = pair
  return { validFrom, validUntil, daysLeft: (validUntil.getTime() - now) / DAY_MS }
}
