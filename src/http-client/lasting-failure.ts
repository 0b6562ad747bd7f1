import { HttpFailure } from './http-failure.ts'

/** Reasons of failures (`HttpFailure.reason`) that another try does not change: a wrong host or port, or no HTTP there. */
const LASTING =
  /^(ENOTFOUND|EAI_AGAIN|EAI_NONAME|EAI_NODATA|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|HPE_)/

/**
 * Whether a first request failed in a way that lasts, so that the address is wrong. Behind an exchange that succeeded the same failure
 * may pass: the server or the name service is restarted.
 */
export function isLastingFailure(error: unknown): boolean {
  if (!(error instanceof HttpFailure)) return false
  return error.kind === 'private' || error.kind === 'unusable' || LASTING.test(error.reason)
}
