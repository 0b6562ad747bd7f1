import { ApiError } from '../errors.ts'

/** The errors of sending, with their fixed texts (protocol/conventions, Codes). */
const TEXTS = {
  600: 'Invalid SMS signature.',
  601: "Can't send SMS too frequently.",
  602: 'Fails to send message.',
  604: 'SMS template not found.',
  605: 'SMS sign not verified.',
  606: 'Fails to render SMS template.',
} as const

export type SmsErrorCode = keyof typeof TEXTS

/** Maps the error codes of a provider to errors; codes not listed become 602. */
export type Meanings = ReadonlyMap<string, SmsErrorCode>

const ERROR_CODE = /^[A-Za-z][\w.:-]{0,99}$/

export function notSent(detail: string, code: SmsErrorCode = 602): ApiError {
  return new ApiError(400, code, `${TEXTS[code]} ${detail}`)
}

/**
 * Returns the error for a provider's response.
 * @param answered the provider's error code, if any. Passed on only if it has the form of a code, because other text
 *   may repeat the phone number or the code
 */
export function refusal(status: number, answered: string | undefined, meanings: Meanings): ApiError {
  if (answered === undefined || !ERROR_CODE.test(answered))
    return notSent(`The provider returned HTTP status ${status}.`)
  return notSent(`The provider returned '${answered}'.`, meanings.get(answered))
}
