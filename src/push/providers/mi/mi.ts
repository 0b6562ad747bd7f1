import { z } from 'zod'
import type { Log } from '../../../log.ts'
import { secret } from '../../../settings-schema.ts'
import { isJsonObject, type Json, member } from '../../../values/json.ts'
import { server, text } from '../credential-schemas.ts'
import { vendorDescriptor } from '../descriptor.ts'
import { ACCEPTED, type Provider } from '../provider.ts'
import { untilNextDay } from '../vendor-day.ts'
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
import { miMessage } from './mi-message.ts'

const MAX_TOKENS = 1000
const BAD_TOKEN = gone('the registration id is invalid')

/** Internal errors of several kinds, and rate limiting. */
const PASSING = new Set([-1, 1, 10001, 10002, 10003, 10027, 20607, 26003, 65029])
/** The daily message quota is used up. */
const QUOTA_USED = 10034
/** The message could not be sent, for example because none of the registration ids is valid. */
const NOT_SENT = 20301

const credentials = z.strictObject({
  appSecret: secret(text),
  packageName: z.string().min(1).max(128),
  url: server('https://api.xmpush.xiaomi.com'),
})

type MiSettings = z.infer<typeof credentials>

/** Xiaomi Mi Push, API version 3, which also accepts registration ids of several packages. */
export const mi = vendorDescriptor({
  name: 'mi',
  vendor: 'mi',
  successes: 'miSuccesses',
  credentials,
  open: miProvider,
})

function miProvider(settings: MiSettings, log: Log): Provider {
  const { appSecret, packageName } = settings
  const url = endpoint(settings.url, '/v3/message/regid')
  return vendorProvider('mi', log, () => (notification) => {
    const message = miMessage(notification, packageName, Date.now())
    if (isFailure(message)) return message
    return {
      max: MAX_TOKENS,
      async send(tokens, signal) {
        const fields = { ...message, registration_id: tokens.join(',') }
        const answer = await requestVendor(formRequest(url, fields, { authorization: `key=${appSecret}` }), signal)
        return isFailure(answer) ? { rest: answer } : resultOf(answer, [appSecret, ...tokens])
      },
    }
  })
}

function resultOf({ status, content }: VendorAnswer, hidden: readonly string[]): DeliveryResult {
  const code = member(content, 'code')
  const explained = member(content, 'reason') || member(content, 'description')
  const reason = reasonOf(code ?? `HTTP status ${status}`, explained, hidden)
  if (code === 0) return { rest: ACCEPTED, named: new Map(naming(badTokens(member(content, 'data')), BAD_TOKEN)) }
  if (code === NOT_SENT && /no valid target/i.test(reason)) return { rest: BAD_TOKEN }
  if (code === QUOTA_USED) return { rest: later(reason, untilNextDay(Date.now())) }
  return { rest: typeof code === 'number' && PASSING.has(code) ? later(reason) : refused(reason) }
}

function badTokens(data: Json | undefined): readonly string[] {
  const listed = isJsonObject(data) ? member(data, 'bad_regids') : undefined
  return typeof listed === 'string' ? listed.split(',').map((token) => token.trim()) : []
}
