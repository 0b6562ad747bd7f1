import { ApiError, errors } from '../../errors.ts'

const refusal = (code: number, fixed: string) => (detail: string) => new ApiError(400, code, `${fixed}. ${detail}`)

/**
 * Errors of data that failed a check (protocol/conventions, Codes: the fixed text may be extended). The details name
 * members and the platform's error numbers, but never values that were sent or text from the platform, because both may
 * contain tokens.
 */
export const refusals = {
  linkedSession: refusal(251, 'Invalid linked session'),
  weiboSession: refusal(251, 'Invalid Weibo session'),
  weixinSession: refusal(252, 'Invalid Weixin session'),
} as const

/**
 * Returns error 511: a platform gave no usable response.
 * @param reason becomes the `cause` of the error for the log, and must contain nothing that was sent
 */
export function unreachable(reason: string): ApiError {
  return Object.assign(errors.unavailable(), { cause: reason })
}
