import { type Http2Answer, later } from '../http2-answer.ts'
import { ACCEPTED, type Outcome } from '../provider.ts'

/**
 * Converts a response of APNs to the outcome for the device. A bad token does not retire the installation, because every token is
 * bad in the wrong environment.
 */
export function apnsOutcome(answer: Http2Answer): Outcome {
  if (answer.kind === 'failed') return later(answer.reason)
  const { status, headers } = answer
  if (status === 200) return ACCEPTED
  const reason = reasonIn(answer)
  if (status === 410 || reason === 'Unregistered' || reason === 'ExpiredToken') return { kind: 'gone', reason }
  if (status === 429 || status >= 500) return later(reason, headers)
  return { kind: 'refused', reason }
}

/** Returns whether APNs requires a newer provider token. */
export function wantsNewToken(answer: Http2Answer): boolean {
  return answer.kind === 'answered' && answer.status === 403 && reasonIn(answer) === 'ExpiredProviderToken'
}

/** Returns the reason if it has the form of Apple's: other text can come from any server in between. */
function reasonIn({ status, body }: Extract<Http2Answer, { kind: 'answered' }>): string {
  const [, reason] = /"reason"\s*:\s*"([A-Za-z]{1,64})"/.exec(body) ?? []
  return reason ?? `HTTP status ${status}`
}
