import { ApiError, errors } from '../../errors.ts'

const refusal = (code: number, fixed: string) => (detail: string) => new ApiError(400, code, `${fixed}. ${detail}`)

/**
 * What a client is told whose data did not pass a check (protocol/conventions, Codes: the fixed text may be extended).
 * The details name members and the platform's error numbers, never what was sent or what the platform wrote: both may
 * hold
 * tokens.
 */
export const refusals = {
  linkedSession: refusal(251, 'Invalid linked session'),
  weiboSession: refusal(251, 'Invalid Weibo session'),
  weixinSession: refusal(252, 'Invalid Weixin session'),
} as const

/**
 * Error 511, because a platform gave no usable answer.
 * @param reason becomes the `cause` of the error: it is for the log, and must hold nothing that was sent
 */
export function unreachable(reason: string): ApiError {
  return Object.assign(errors.unavailable(), { cause: reason })
}
