import { type JsonObject, member } from '../../values/json.ts'
import { unreachable } from './refusals.ts'

/** Platform busy, daily quota used up, rate limit per minute: not errors of the client. */
const BUSY = [-1, 45009, 45011]

/**
 * Returns the error number in a response of Weixin or a mini program platform: 0 for success, undefined when absent.
 * @throws ApiError 511 when it means that the platform is temporarily unavailable
 */
export function errcodeOf(answer: JsonObject): number | undefined {
  const code = member(answer, 'errcode')
  if (typeof code !== 'number') return undefined
  if (BUSY.includes(code)) throw unreachable(`errcode ${code}`)
  return code
}
