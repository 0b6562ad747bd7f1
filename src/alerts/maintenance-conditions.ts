import { type Notice, notice } from '../notices/notice.ts'
import type { AlertCondition } from './alert-state.ts'

const DAY_MS = 86_400_000
/** A certificate is about to expire when less of its validity is left than this share, at most so many days. */
const EXPIRY_SHARE = 1 / 6
const MAX_EXPIRY_DAYS = 14
/** Maximum number of characters of a reason. */
const MAX_REASON = 300

/** The state of backups. Times in milliseconds since 1970. */
export interface BackupState {
  readonly lastSuccess: { readonly at: number } | null
  readonly lastFailure: { readonly at: number; readonly reason: string } | null
  /** The archive of the write-ahead log; null without one. */
  readonly wal: { readonly error: string | null } | null
}

/** The state of a certificate. */
export interface CertificateState {
  readonly names: readonly string[]
  readonly validFrom: Date | null
  readonly validUntil: Date | null
  readonly lastError: { readonly reason: string } | null
}

/** A problem from a failed backup to the next successful one. */
export function backupCondition(state: () => BackupState): AlertCondition {
  return {
    id: 'backup',
    isOfNode: true,
    async read() {
      const { lastSuccess, lastFailure } = state()
      if (lastFailure === null || (lastSuccess !== null && lastSuccess.at >= lastFailure.at)) return null
      return notice('alertBackup', { reason: short(lastFailure.reason) })
    },
  }
}

/** A problem while the archive of the write-ahead log cannot be written: the log stays on the disk of the database. */
export function walCondition(state: () => BackupState): AlertCondition {
  return {
    id: 'wal-archive',
    isOfNode: true,
    async read() {
      const error = state().wal?.error ?? null
      return error === null ? null : notice('alertWalArchive', { reason: short(error) })
    },
  }
}

/** A problem while a certificate is missing after a failed order, has expired, or is about to expire. */
export function certificateCondition(
  certificates: () => readonly CertificateState[],
  now: () => number = Date.now,
): AlertCondition {
  return {
    id: 'certificate',
    isOfNode: true,
    async read() {
      for (const certificate of certificates()) {
        const problem = certificateProblem(certificate, now())
        if (problem) return problem
      }
      return null
    },
  }
}

function certificateProblem({ names, validFrom, validUntil, lastError }: CertificateState, now: number): Notice | null {
  const domain = names.join(', ') || '-'
  if (validFrom === null || validUntil === null)
    return lastError === null ? null : notice('alertNoCertificate', { domain, reason: short(lastError.reason) })
  const left = validUntil.getTime() - now
  const lifetime = validUntil.getTime() - validFrom.getTime()
  if (left > Math.min(MAX_EXPIRY_DAYS * DAY_MS, lifetime * EXPIRY_SHARE)) return null
  const reason = lastError === null ? '-' : short(lastError.reason)
  return notice('alertCertificate', { domain, days: Math.floor(left / DAY_MS), reason })
}

function short(reason: string): string {
  return reason.length <= MAX_REASON ? reason : `${reason.slice(0, MAX_REASON)}…`
}
