import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Log } from '../../../log.ts'
import { secret } from '../../../settings-schema.ts'
import { isJsonObject, type Json, type JsonObject, member } from '../../../values/json.ts'
import { server, text } from '../credential-schemas.ts'
import { vendorDescriptor } from '../descriptor.ts'
import { ACCEPTED, type Notification, type Outcome, type Provider } from '../provider.ts'
import { untilNextDay } from '../vendor-day.ts'
import { type DeliveryResult, vendorProvider } from '../vendor-provider.ts'
import { reasonOf } from '../vendor-reason.ts'
import {
  endpoint,
  type Failure,
  gone,
  isFailure,
  jsonRequest,
  later,
  refused,
  requestVendor,
  unlessAborted,
  type VendorAnswer,
} from '../vendor-request.ts'
import { type AccessToken, type InvalidToken, vendorToken } from '../vendor-token.ts'
import { type VivoMessage, vivoMessage, vivoRequestId } from './vivo-message.ts'
import { type Saving, savedMessages } from './vivo-saved-messages.ts'

const MAX_TOKENS = 1000
/** Milliseconds. A token is valid for a day; vivo recommends a new one every hour or two. */
const TOKEN_LIFETIME = 2 * 60 * 60 * 1000

const BAD_TOKEN = gone('10302: the registration id is invalid')
const NO_ACCESS = 10000
const TOO_FAST = 10072
/** The daily quota of messages or saved messages is used up until the next day. */
const QUOTA_USED = new Set([10070, 10252])
const INVALID_REGISTRATION_ID = 10302

/** Outcomes of single devices, by status. */
const OF_TOKENS: ReadonlyMap<Json, Outcome> = new Map<Json, Outcome>([
  [1, gone('the registration id does not exist')],
  [2, gone('the app was removed, or its notifications were turned off')],
  [3, refused('the device has been inactive for a long time')],
  [4, refused('the device is not a test device')],
])

const credentials = z.strictObject({
  appId: text,
  appKey: text,
  appSecret: secret(text),
  url: server('https://api-push.vivo.com.cn'),
})

type VivoSettings = z.infer<typeof credentials>

/** vivo Push. Single pushes for one device, lists for several. */
export const vivo = vendorDescriptor({
  name: 'vivo',
  vendor: 'vivo',
  successes: 'vivoSuccesses',
  aboutTheDevice: /^the device (is|has) /,
  credentials,
  open: vivoProvider,
})

function vivoProvider(settings: VivoSettings, log: Log): Provider {
  return vendorProvider('vivo', log, (closed) => {
    const access = vendorToken(() => fetchToken(settings, closed))
    const saved = savedMessages()
    const request = (path: string, body: JsonObject, authToken: string, signal: AbortSignal) =>
      requestVendor(jsonRequest(endpoint(settings.url, path), body, { authToken }), signal)

    async function sendToOne(notification: Notification, { message, sending }: VivoMessage, regId: string, way: Way) {
      const requestId = vivoRequestId(notification.id, [regId])
      const answer = await request('/message/send', { ...message, ...sending, regId, requestId }, way.token, way.signal)
      if (isFailure(answer)) return { rest: answer }
      if (member(answer.content, 'result') === INVALID_REGISTRATION_ID) return { rest: BAD_TOKEN }
      return resultOf(answer, way.hidden)
    }

    async function sendToList(notification: Notification, made: VivoMessage, regIds: readonly string[], way: Way) {
      const { timeToLive: _changing, ...same } = made.message
      const key = JSON.stringify([notification.id, same])
      const requestId = vivoRequestId(notification.id, [])
      const saving = saved.find(key, async () => {
        const answer = await request('/message/saveListPayload', { ...made.message, requestId }, way.token, closed)
        return isFailure(answer) ? answer : savingOf(answer, way.hidden)
      })
      const found = await unlessAborted(saving, way.signal)
      if (isFailure(found)) return { rest: found }
      if ('invalid' in found) return found
      const list = { ...made.sending, taskId: found.taskId, regIds, requestId: vivoRequestId(notification.id, regIds) }
      const answer = await request('/message/pushToList', list, way.token, way.signal)
      if (isFailure(answer)) return { rest: answer }
      const result = resultOf(answer, way.hidden)
      // The saved message may be the cause of the rejection.
      if (!('invalid' in result) && result.rest.kind === 'refused') saved.forget(key)
      return result
    }

    return (notification) => {
      const message = vivoMessage(notification, Date.now())
      if (isFailure(message)) return message
      return {
        max: MAX_TOKENS,
        send: (tokens, signal) =>
          access.use((token) => {
            const way = { token, signal, hidden: [settings.appSecret, token, ...tokens] }
            const [first, ...others] = tokens
            if (first !== undefined && others.length === 0) return sendToOne(notification, message, first, way)
            return sendToList(notification, message, tokens, way)
          }, signal),
      }
    }
  })
}

interface Way {
  readonly token: string
  readonly signal: AbortSignal
  readonly hidden: readonly string[]
}

/** Returns MD5 of the ids, the time in milliseconds and the secret. */
function vivoSignature({ appId, appKey, appSecret }: VivoSettings, timestamp: number): string {
  return createHash('md5').update(`${appId}${appKey}${timestamp}${appSecret}`).digest('hex')
}

async function fetchToken(settings: VivoSettings, signal: AbortSignal): Promise<AccessToken | Failure> {
  const timestamp = Date.now()
  const sign = vivoSignature(settings, timestamp)
  const body = { appId: settings.appId, appKey: settings.appKey, timestamp, sign }
  const answer = await requestVendor(jsonRequest(endpoint(settings.url, '/message/auth'), body), signal)
  if (isFailure(answer)) return answer
  const value = member(answer.content, 'authToken')
  if (typeof value === 'string' && value !== '') return { value, lifetime: TOKEN_LIFETIME }
  return failureOf(answer, [settings.appSecret, sign])
}

function savingOf(answer: VendorAnswer, hidden: readonly string[]): Saving {
  const result = member(answer.content, 'result')
  const taskId = member(answer.content, 'taskId')
  if (result === 0 && (typeof taskId === 'string' || typeof taskId === 'number')) return { taskId: String(taskId) }
  const failure = failureOf(answer, hidden)
  return result === NO_ACCESS ? { invalid: failure } : failure
}

function resultOf(answer: VendorAnswer, hidden: readonly string[]): DeliveryResult | InvalidToken {
  const { content } = answer
  const result = member(content, 'result')
  if (result === 0) {
    const several = member(content, 'invalidUsers')
    const users = Array.isArray(several) ? several : [member(content, 'invalidUser')]
    return { rest: ACCEPTED, named: invalidUsers(users) }
  }
  const failure = failureOf(answer, hidden)
  return result === NO_ACCESS ? { invalid: failure } : { rest: failure }
}

function invalidUsers(users: readonly (Json | undefined)[]): ReadonlyMap<string, Outcome> {
  const named = new Map<string, Outcome>()
  for (const user of users) {
    const token = isJsonObject(user) && member(user, 'userid')
    if (!isJsonObject(user) || typeof token !== 'string') continue
    const status = member(user, 'status')
    const known = status === undefined ? undefined : OF_TOKENS.get(status)
    named.set(token, known ?? refused(`device rejected: ${reasonOf(status, undefined, [])}`))
  }
  return named
}

function failureOf({ status, content }: VendorAnswer, hidden: readonly string[]): Failure {
  const result = member(content, 'result')
  const reason = reasonOf(result ?? `HTTP status ${status}`, member(content, 'desc'), hidden)
  if (result === TOO_FAST) return later(reason)
  if (typeof result === 'number' && QUOTA_USED.has(result)) return later(reason, untilNextDay(Date.now()))
  return refused(reason)
}
