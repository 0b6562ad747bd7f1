import { type JsonObject, member } from '../../values/json.ts'
import { unreachable } from './refusals.ts'

/** Busy, the calls of the day are used up, those of the minute are: that says nothing of who asks. */
const BUSY = [-1, 45009, 45011]

/**
 * The error number in an answer of Weixin and of the mini programs: 0 for success, undefined when there is none.
 * @throws ApiError 511 when it means that the platform cannot answer now
 */
export function errcodeOf(answer: JsonObject): number | undefined {
  const code = member(answer, 'errcode')
  if (typeof code !== 'number') return undefined
  if (BUSY.includes(code)) throw unreachable(`errcode ${code}`)
  return code
}
