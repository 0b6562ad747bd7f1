import { z } from 'zod'
import type { Log } from '../../../log.ts'
import { secret } from '../../../settings-schema.ts'
import { isJsonObject, type Json, type JsonObject, member, parseJson } from '../../../values/json.ts'
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
import { hmsMessage } from './hms-message.ts'

const MAX_TOKENS = 1000
const ILLEGAL = gone('the token is invalid')

const credentials = z.strictObject({
  appId: text,
  appSecret: secret(text),
  clickHost,
  tokenUrl: server('https://oauth-login.cloud.huawei.com/oauth2/v3/token'),
  url: server('https://push-api.cloud.huawei.com'),
})

type HmsSettings = z.infer<typeof credentials>

/** Huawei HMS Push Kit, API version 1. */
export const hms = vendorDescriptor({
  name: 'hms',
  vendor: 'HMS',
  successes: 'hmsSuccesses',
  credentials,
  open: hmsProvider,
})

function hmsProvider(settings: HmsSettings, log: Log): Provider {
  const { appId, appSecret, tokenUrl, clickHost } = settings
  const url = endpoint(settings.url, `/v1/${encodeURIComponent(appId)}/messages:send`)
  return vendorProvider('hms', log, (closed) => {
    const access = oauthToken({ tokenUrl, clientId: appId, clientSecret: appSecret }, closed)
    return (notification) => {
      const message = hmsMessage(notification, clickHost, Date.now())
      if (isFailure(message)) return message
      return {
        max: MAX_TOKENS,
        send: (tokens, signal) =>
          access.use(async (token) => {
            const body = { validate_only: false, message: { ...message, token: tokens } }
            const answer = await requestVendor(jsonRequest(url, body, { authorization: `Bearer ${token}` }), signal)
            return isFailure(answer) ? { rest: answer } : resultOf(answer, [appSecret, token, ...tokens])
          }, signal),
      }
    }
  })
}

function resultOf({ status, content }: VendorAnswer, hidden: readonly string[]): DeliveryResult | InvalidToken {
  const code = member(content, 'code')
  const text = member(content, 'msg')
  const reason = reasonOf(code ?? `HTTP status ${status}`, text, hidden)
  switch (String(code)) {
    case '80000000':
      return { rest: ACCEPTED }
    case '80100000':
      return { rest: ACCEPTED, named: illegalTokens(text) }
    case '80300007':
      return { rest: ILLEGAL }
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

/** Parses the tokens that were not reached. After a partial success the text is JSON that lists them. */
function illegalTokens(text: Json | undefined): ReadonlyMap<string, Outcome> {
  const details = typeof text === 'string' ? parsed(text) : {}
  const tokens = member(details, 'illegal_tokens')
  return new Map(naming(Array.isArray(tokens) ? tokens : [], ILLEGAL))
}

function parsed(text: string): JsonObject {
  try {
    const details = parseJson(text, 'The text')
    return isJsonObject(details) ? details : {}
  } catch {
    return {}
  }
}
