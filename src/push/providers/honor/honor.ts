import { z } from 'zod'
import type { Log } from '../../../log.ts'
import { secret } from '../../../settings-schema.ts'
import { isJsonObject, type Json, type JsonObject, member } from '../../../values/json.ts'
import { clickHost, server, text } from '../credential-schemas.ts'
import { vendorDescriptor } from '../descriptor.ts'
import { ACCEPTED, type Outcome, type Provider } from '../provider.ts'
import { oauthToken } from '../vendor-oauth.ts'
import { type DeliveryResult, naming, vendorProvider } from '../vendor-provider.ts'
import { reasonOf } from '../vendor-reason.ts'
import {
  endpoint,
  gone,
  isFailure,
  jsonRequest,
  later,
  refused,
  requestVendor,
  type VendorAnswer,
} from '../vendor-request.ts'
import type { InvalidToken } from '../vendor-token.ts'
import { honorMessage } from './honor-message.ts'

const MAX_TOKENS = 1000
const EXPIRED = gone('the token is invalid')
/** Can have other causes than the token. */
const FAILED = refused('the push to this token failed')

const credentials = z.strictObject({
  appId: text,
  clientId: text,
  clientSecret: secret(text),
  clickHost,
  tokenUrl: server('https://iam.developer.honor.com/auth/token'),
  url: server('https://push-api.cloud.honor.com'),
})

type HonorSettings = z.infer<typeof credentials>

/** Honor Push, whose API resembles that of HMS. */
export const honor = vendorDescriptor({
  name: 'honor',
  vendor: 'honor',
  // The protocol does not define this name; it is Homeport's choice (protocol/push, Open).
  successes: 'honorSuccesses',
  aboutTheDevice: /^the push to this token failed$/,
  credentials,
  open: honorProvider,
})

function honorProvider(settings: HonorSettings, log: Log): Provider {
  const { appId, clientId, clientSecret, tokenUrl, clickHost } = settings
  const url = endpoint(settings.url, `/api/v1/${encodeURIComponent(appId)}/sendMessage`)
  return vendorProvider('honor', log, (closed) => {
    const access = oauthToken({ tokenUrl, clientId, clientSecret }, closed)
    return (notification) => {
      const message = honorMessage(notification, clickHost, Date.now())
      if (isFailure(message)) return message
      return {
        max: MAX_TOKENS,
        send: (tokens, signal) =>
          access.use(async (token) => {
            const headers = { authorization: `Bearer ${token}`, timestamp: String(Date.now()) }
            const answer = await requestVendor(jsonRequest(url, { ...message, token: tokens }, headers), signal)
            return isFailure(answer) ? { rest: answer } : resultOf(answer, [clientSecret, token, ...tokens])
          }, signal),
      }
    }
  })
}

function resultOf({ status, content }: VendorAnswer, hidden: readonly string[]): DeliveryResult | InvalidToken {
  const code = member(content, 'code')
  const reason = reasonOf(code ?? `HTTP status ${status}`, member(content, 'message') ?? member(content, 'msg'), hidden)
  const data = member(content, 'data')
  switch (String(code)) {
    case '200':
    case '80000000':
    // Some of the tokens were reached.
    case '80100000':
      return { rest: ACCEPTED, named: failedTokens(isJsonObject(data) ? data : {}) }
    case '80300007':
      return { rest: EXPIRED }
    // The access token is invalid or has expired.
    case '80200001':
    case '80200003':
      return { invalid: refused(reason) }
    // Errors of the vendor: in its authentication, and others.
    case '80600003':
    case '81000001':
      return { rest: later(reason) }
    default:
      return status === 401 ? { invalid: refused(reason) } : { rest: refused(reason) }
  }
}

function failedTokens(data: JsonObject): ReadonlyMap<string, Outcome> {
  const listed = (name: string): readonly Json[] => {
    const tokens = member(data, name)
    return Array.isArray(tokens) ? tokens : []
  }
  return new Map([...naming(listed('failTokens'), FAILED), ...naming(listed('expireTokens'), EXPIRED)])
}
