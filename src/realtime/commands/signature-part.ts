import type { Signature } from '../../messaging/sessions/signatures.ts'

/** The signature in a command: `t`, `n` and `s`; null when there is none. */
export function signatureIn({
  t,
  n,
  s,
}: {
  readonly t?: number | undefined
  readonly n?: string | undefined
  readonly s?: string | undefined
}): Signature | null {
  return s === undefined ? null : { timestamp: t ?? 0, nonce: n ?? '', text: s }
}
