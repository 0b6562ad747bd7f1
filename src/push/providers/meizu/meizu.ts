import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Log } from '../../../log.ts'
import { secret } from '../../../settings-schema.ts'
import { compareText, isJsonObject, type Json, member } from '../../../values/json.ts'
import { server, text } from '../credential-schemas.ts'
import { vendorDescriptor } from '../descriptor.ts'
import { ACCEPTED, type Outcome, type Provider } from '../provider.ts'
import { type DeliveryResult, naming, vendorProvider } from '../vendor-provider.ts'
import { reasonOf } from '../vendor-reason.ts'
import {
  endpoint,
  formRequest,
  gone,
  isFailure,
  later,
  refused,
  requestVendor,
  type VendorAnswer,
} from '../vendor-request.ts'
import { meizuMessage } from './meizu-message.ts'

const MAX_TOKENS = 1000

/** System errors, overload, and rate limiting. */
const PASSING = new Set(['500', '1001', '1003', '110010'])

/** Outcomes of single devices, by code. */
const OF_TOKENS: ReadonlyMap<string, Outcome> = new Map([
  ['201', refused('201: rejected by the vendor')],
  ['501', later('501: vendor error')],
  ['513', later('513: vendor error')],
  ['519', later('519: the vendor is overloaded')],
  ['520', refused('520: too many messages per minute')],
  ['110002', gone('110002: the push id is not subscribed any more')],
  ['110003', gone('110003: the push id is invalid')],
])

const credentials = z.strictObject({
  appId: text,
  appSecret: secret(text),
  url: server('https://server-api-push.meizu.com'),
})

type MeizuSettings = z.infer<typeof credentials>

/** Meizu Flyme Push. */
export const mz = vendorDescriptor({
  name: 'mz',
  vendor: 'mz',
  successes: 'meizuSuccesses',
  aboutTheDevice: /^201:/,
  credentials,
  open: meizuProvider,
})

function meizuProvider(settings: MeizuSettings, log: Log): Provider {
  const { appId, appSecret } = settings
  const url = endpoint(settings.url, '/garcia/api/server/push/varnished/pushByPushId')
  return vendorProvider('mz', log, () => (notification) => {
    const message = meizuMessage(notification, Date.now())
    if (isFailure(message)) return message
    const messageJson = JSON.stringify(message)
    return {
      max: MAX_TOKENS,
      async send(tokens, signal) {
        const fields = { appId, messageJson, pushIds: tokens.join(',') }
        const signed = { ...fields, sign: meizuSignature(fields, appSecret) }
        const answer = await requestVendor(formRequest(url, signed), signal)
        return isFailure(answer) ? { rest: answer } : resultOf(answer, [appSecret, signed.sign, ...tokens])
      },
    }
  })
}

/** Signs a request: MD5 of all unencoded fields in the order of their names, followed by the secret. */
function meizuSignature(fields: Readonly<Record<string, string>>, appSecret: string): string {
  const sorted = Object.entries(fields).sort(([left], [right]) => compareText(left, right))
  const signed = sorted.map(([name, value]) => `${name}=${value}`).join('')
  return createHash('md5').update(`${signed}${appSecret}`).digest('hex')
}

function resultOf({ status, content }: VendorAnswer, hidden: readonly string[]): DeliveryResult {
  const code = member(content, 'code')
  if (String(code) === '200') return { rest: ACCEPTED, named: failedTokens(member(content, 'value')) }
  const reason = reasonOf(code ?? `HTTP status ${status}`, member(content, 'message'), hidden)
  return { rest: PASSING.has(String(code)) ? later(reason) : refused(reason) }
}

/** Parses the failed tokens, which the response lists by code. Unknown codes are rejections. */
function failedTokens(value: Json | undefined): ReadonlyMap<string, Outcome> {
  const failed = new Map<string, Outcome>()
  for (const [code, tokens] of Object.entries(isJsonObject(value) ? value : {})) {
    const outcome = OF_TOKENS.get(code) ?? refused(reasonOf(code, undefined, []))
    for (const [token, said] of naming(Array.isArray(tokens) ? tokens : [], outcome)) failed.set(token, said)
  }
  return failed
}
