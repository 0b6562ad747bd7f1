import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Log } from '../../../log.ts'
import { secret } from '../../../settings-schema.ts'
import { isJsonObject, type Json, member } from '../../../values/json.ts'
import { server, text } from '../credential-schemas.ts'
import { vendorDescriptor } from '../descriptor.ts'
import { ACCEPTED, type Outcome, type Provider } from '../provider.ts'
import { untilNextDay } from '../vendor-day.ts'
import { type DeliveryResult, vendorProvider } from '../vendor-provider.ts'
import { reasonOf } from '../vendor-reason.ts'
import {
  endpoint,
  type Failure,
  formRequest,
  gone,
  isFailure,
  later,
  refused,
  requestVendor,
  type VendorAnswer,
} from '../vendor-request.ts'
import { type AccessToken, type InvalidToken, vendorToken } from '../vendor-token.ts'
import { oppoMessage, oppoMessageId } from './oppo-message.ts'

const MAX_TOKENS = 1000
/** Maximum characters of a request, which contains the whole message for each device. */
const LONGEST_REQUEST = 1_000_000
/** Milliseconds. */
const TOKEN_LIFETIME = 24 * 60 * 60 * 1000
const BY_REGISTRATION_ID = 2

const BAD_TOKEN = gone('10000: the registration id is invalid')

/** Flow control, an outage, and rate limiting. */
const PASSING = new Set([-2, -1, 13, 55])
const QUOTA_USED = 33
/** The access token is invalid or missing. */
const NO_ACCESS = new Set([11, 29])
/** The device has already received this push. */
const DUPLICATE = 32
const INVALID_REGISTRATION_ID = 10000

const credentials = z.strictObject({
  appKey: text,
  masterSecret: secret(text),
  url: server('https://api.push.oppomobile.com'),
})

type OppoSettings = z.infer<typeof credentials>

/** OPPO Push. Uses batches of single pushes, which report the outcome per device and drop duplicates. */
export const oppo = vendorDescriptor({
  name: 'oppo',
  vendor: 'oppo',
  successes: 'oppoSuccesses',
  credentials,
  open: oppoProvider,
})

function oppoProvider(settings: OppoSettings, log: Log): Provider {
  const url = endpoint(settings.url, '/server/v1/message/notification/unicast_batch')
  const { masterSecret } = settings
  return vendorProvider('oppo', log, (closed) => {
    const access = vendorToken(() => fetchToken(settings, closed))
    return (notification) => {
      const message = oppoMessage(notification, Date.now())
      if (isFailure(message)) return message
      const fitting = Math.floor(LONGEST_REQUEST / JSON.stringify(message).length)
      const messageFor = (token: string) => ({
        target_type: BY_REGISTRATION_ID,
        target_value: token,
        verify_registration_id: true,
        notification: { ...message, app_message_id: oppoMessageId(notification.id, token) },
      })
      return {
        max: Math.min(Math.max(fitting, 1), MAX_TOKENS),
        send: (tokens, signal) =>
          access.use(async (token) => {
            const fields = { auth_token: token, messages: JSON.stringify(tokens.map(messageFor)) }
            const answer = await requestVendor(formRequest(url, fields), signal)
            return isFailure(answer) ? { rest: answer } : resultOf(answer, [masterSecret, token, ...tokens])
          }, signal),
      }
    }
  })
}

/** Returns SHA-256 of the key, the time in milliseconds and the master secret. */
function oppoSignature({ appKey, masterSecret }: OppoSettings, timestamp: number): string {
  return createHash('sha256').update(`${appKey}${timestamp}${masterSecret}`).digest('hex')
}

async function fetchToken(settings: OppoSettings, signal: AbortSignal): Promise<AccessToken | Failure> {
  const timestamp = Date.now()
  const sign = oppoSignature(settings, timestamp)
  const fields = { app_key: settings.appKey, timestamp: String(timestamp), sign }
  const answer = await requestVendor(formRequest(endpoint(settings.url, '/server/v1/auth'), fields), signal)
  if (isFailure(answer)) return answer
  const data = member(answer.content, 'data')
  const value = isJsonObject(data) ? member(data, 'auth_token') : undefined
  if (typeof value === 'string' && value !== '') return { value, lifetime: TOKEN_LIFETIME }
  return failureOf(answer, [settings.masterSecret, sign])
}

function resultOf(answer: VendorAnswer, hidden: readonly string[]): DeliveryResult | InvalidToken {
  const code = member(answer.content, 'code')
  if (code === 0) return { rest: ACCEPTED, named: failedTokens(member(answer.content, 'data'), hidden) }
  const failure = failureOf(answer, hidden)
  return typeof code === 'number' && NO_ACCESS.has(code) ? { invalid: failure } : { rest: failure }
}

function failureOf({ status, content }: VendorAnswer, hidden: readonly string[]): Failure {
  const code = member(content, 'code')
  const reason = reasonOf(code ?? `HTTP status ${status}`, member(content, 'message'), hidden)
  if (code === QUOTA_USED) return later(reason, untilNextDay(Date.now()))
  return typeof code === 'number' && PASSING.has(code) ? later(reason) : refused(reason)
}

function failedTokens(data: Json | undefined, hidden: readonly string[]): ReadonlyMap<string, Outcome> {
  const failed = new Map<string, Outcome>()
  for (const entry of Array.isArray(data) ? data : []) {
    if (!isJsonObject(entry)) continue
    const token = member(entry, 'registrationId')
    const code = member(entry, 'errorCode')
    if (typeof token !== 'string' || typeof code !== 'number' || code === 0 || code === DUPLICATE) continue
    const content = { code, message: member(entry, 'errorMessage') ?? '' }
    failed.set(token, code === INVALID_REGISTRATION_ID ? BAD_TOKEN : failureOf({ status: 200, content }, hidden))
  }
  return failed
}
