import { type Http2Answer, later } from '../http2-answer.ts'
import { ACCEPTED, type Outcome } from '../provider.ts'

/**
 * What an answer of APNs means for the device. A bad token is no reason to retire the installation: every token is bad
 * in the wrong environment.
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

/** Whether APNs wants a newer provider token. */
export function wantsNewToken(answer: Http2Answer): boolean {
  return answer.kind === 'answered' && answer.status === 403 && reasonIn(answer) === 'ExpiredProviderToken'
}

/** Only what looks like a reason of Apple's is passed on: other text may come from anywhere. */
function reasonIn({ status, body }: Extract<Http2Answer, { kind: 'answered' }>): string {
  const [, reason] = /"reason"\s*:\s*"([A-Za-z]{1,64})"/.exec(body) ?? []
  return reason ?? `HTTP status ${status}`
}
