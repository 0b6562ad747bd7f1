import { isJsonObject } from '../../../values/json.ts'
import { type Http2Answer, later } from '../http2-answer.ts'
import { ACCEPTED, type Outcome } from '../provider.ts'

/**
 * Converts a response of FCM to the outcome for the device. Only UNREGISTERED concerns the token alone: a missing project also
 * results in 404.
 */
export function fcmOutcome(answer: Http2Answer): Outcome {
  if (answer.kind === 'failed') return later(answer.reason)
  const { status, headers } = answer
  if (status === 200) return ACCEPTED
  const reason = codeIn(answer.body) ?? `HTTP status ${status}`
  if (status === 404 && reason === 'UNREGISTERED') return { kind: 'gone', reason }
  if (status === 429 || status >= 500) return later(reason, headers)
  return { kind: 'refused', reason }
}

/** Returns whether the access token has become invalid. Status 401 can also mean missing credentials for APNs. */
export function wantsNewToken(answer: Http2Answer): boolean {
  return answer.kind === 'answered' && answer.status === 401 && codeIn(answer.body) !== 'THIRD_PARTY_AUTH_ERROR'
}

/** Returns FCM's error code from the details, else the more general status. */
function codeIn(body: string): string | undefined {
  let error: unknown
  try {
    const answer: unknown = JSON.parse(body)
    error = isJsonObject(answer) ? answer.error : undefined
  } catch {
    // A proxy may respond with HTML.
  }
  if (!isJsonObject(error)) return undefined
  const details = Array.isArray(error.details) ? error.details : []
  const codes = details.map((detail) => (isJsonObject(detail) ? detail.errorCode : undefined))
  return [...codes, error.status].find((code) => typeof code === 'string' && /^[A-Z_]{1,64}$/.test(code)) as
    | string
    | undefined
}
