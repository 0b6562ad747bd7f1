import { HttpFailure } from './http-failure.ts'

/** Reasons of failures (`HttpFailure.reason`) that a retry does not change: a wrong host or port, or no HTTP server there. */
const LASTING =
  /^(ENOTFOUND|EAI_AGAIN|EAI_NONAME|EAI_NODATA|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|HPE_)/

/**
 * Returns whether a first request failed permanently, so that the address is wrong. After a successful exchange the same failure
 * may be temporary, such as a restart of the server or name service.
 */
export function isLastingFailure(error: unknown): boolean {
  if (!(error instanceof HttpFailure)) return false
  return error.kind === 'private' || error.kind === 'unusable' || LASTING.test(error.reason)
}
