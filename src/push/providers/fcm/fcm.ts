import { z } from 'zod'
import type { Log } from '../../../log.ts'
import { secret } from '../../../settings-schema.ts'
import { pem, server, text } from '../credential-schemas.ts'
import { vendorDescriptor } from '../descriptor.ts'
import type { Http2Answer, Http2Request } from '../http2-answer.ts'
import { Http2Connection } from '../http2-connection.ts'
import type { Notification, Provider, Target } from '../provider.ts'
import { fcmMessage } from './fcm-message.ts'
import { fcmOutcome, wantsNewToken } from './fcm-outcome.ts'
import { googleToken } from './google-token.ts'

/** FCM accepts 100 concurrent requests per connection, one for each device. */
const AT_ONCE = 100
/** Devices handed over together. */
const CHUNK_SIZE = 100
const CONNECTIONS = 4
const TIMEOUT = 30_000

const credentials = z.strictObject({
  projectId: text,
  clientEmail: text,
  privateKey: secret(pem),
  tokenUrl: server('https://oauth2.googleapis.com/token'),
  url: server('https://fcm.googleapis.com'),
})

type FcmSettings = z.infer<typeof credentials>

/** Firebase Cloud Messaging, HTTP v1, over HTTP/2. */
export const fcm = vendorDescriptor({
  name: 'fcm',
  vendor: 'fcm',
  successes: 'fcmSuccesses',
  aboutTheDevice: /^(INVALID_ARGUMENT|SENDER_ID_MISMATCH)$/,
  credentials,
  open: fcmProvider,
})

function fcmProvider(settings: FcmSettings, log: Log): Provider {
  const token = googleToken(settings)
  const options = { url: settings.url, atOnce: AT_ONCE, timeout: TIMEOUT }
  const connections = Array.from({ length: CONNECTIONS }, () => new Http2Connection(options, log))
  const path = `/v1/projects/${encodeURIComponent(settings.projectId)}/messages:send`

  const exchange = async (requests: readonly Http2Request[], signal: AbortSignal): Promise<readonly Http2Answer[]> => {
    // A few requests do not need all connections.
    const parts = slices(requests, Math.max(AT_ONCE, Math.ceil(requests.length / CONNECTIONS)))
    const answers = parts.map((part, index) => connections[index]!.exchange(part, signal))
    return (await Promise.all(answers)).flat()
  }
  /** Sends to some of the targets. @returns the responses, or one outcome for all of them */
  const attempt = async (bodies: readonly Buffer[], signal: AbortSignal) => {
    const access = await token.get()
    if (typeof access !== 'string') return access
    const headers = {
      ':method': 'POST',
      ':path': path,
      authorization: `Bearer ${access}`,
      'content-type': 'application/json',
    }
    const requests = bodies.map((body) => ({ headers, body }))
    const answers = await exchange(requests, signal)
    if (answers.some(wantsNewToken)) token.forget(access)
    return answers
  }

  return {
    chunkSize: CHUNK_SIZE,
    async send(notification, targets, signal) {
      const bodies = bodiesFor(notification, targets)
      const first = await attempt(bodies, signal)
      if ('kind' in first) return targets.map(() => first)
      const outcomes = first.map(fcmOutcome)
      const again = first.flatMap((answer, position) => (wantsNewToken(answer) ? [position] : []))
      if (again.length === 0) return outcomes
      const second = await attempt(
        again.map((position) => bodies[position]!),
        signal,
      )
      again.forEach((position, index) => {
        outcomes[position] = 'kind' in second ? second : fcmOutcome(second[index]!)
      })
      return outcomes
    },
    close() {
      for (const connection of connections) connection.close()
    },
  }
}

/** Returns the request bodies. The message is serialized once; only the token differs. */
function bodiesFor(notification: Notification, targets: readonly Target[]): Buffer[] {
  const message = JSON.stringify(fcmMessage(notification, Date.now())).slice(1)
  return targets.map(({ token }) => Buffer.from(`{"message":{"token":${JSON.stringify(token)},${message}}`))
}

function slices<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}
