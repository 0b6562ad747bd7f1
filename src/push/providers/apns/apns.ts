import { hash } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http2'
import type { Log } from '../../../log.ts'
import { DEFAULT_PROFILE, type ProviderDescriptor } from '../descriptor.ts'
import type { Http2Request } from '../http2-answer.ts'
import type { Notification, Outcome, Provider, Target } from '../provider.ts'
import { apnsOutcome, wantsNewToken } from './apns-outcome.ts'
import { type ApnsMessage, apnsMessage, payloadFor } from './apns-payload.ts'
import { type ApnsRoute, type ApnsRoutes, apnsRoutes } from './apns-routes.ts'
import { type ApnsSettings, apnsSettings } from './apns-settings.ts'

/** Devices with the same route. */
interface Group {
  readonly route: ApnsRoute
  /** Indexes of the devices in the list of targets. */
  readonly positions: number[]
}

/** Maximum devices with a development certificate (protocol/push, Content for iOS). */
const MAX_DEVELOPMENT_DEVICES = 20_000

/** APNs needs one request per device. */
const CHUNK_SIZE = 100

const DEVICE_TOKEN = /^[0-9a-fA-F]{2,200}$/
const TOPIC = /^[\w.-]{1,255}$/

/** The state of one call of `send`. */
interface Sending {
  readonly notification: Notification
  readonly targets: readonly Target[]
  readonly outcomes: Outcome[]
  readonly signal: AbortSignal
  readonly message: ApnsMessage
  readonly bodyFor: (badge: number | null) => Buffer | Outcome
}

/** Apple Push Notification service. */
export const apns: ProviderDescriptor<'apns', null, typeof apnsSettings, ApnsSettings> = {
  name: 'apns',
  vendor: null,
  successes: 'iosSuccesses',
  aboutTheDevice: /^(BadDeviceToken|DeviceTokenNotForTopic)$/,
  settings: apnsSettings,
  // Keys serve all profiles.
  credentials: (settings) =>
    Object.keys(settings.keys).length + Object.keys(settings.certificates).length > 0 ? settings : undefined,
  open: (settings, profile, log) => apnsProvider(settings, profile === DEFAULT_PROFILE ? null : profile, log),
}

/** @param profile `deviceProfile` of the devices; null for devices without one */
function apnsProvider(settings: ApnsSettings, profile: string | null, log: Log): Provider {
  const routes = apnsRoutes(settings, profile, log)
  return {
    chunkSize: CHUNK_SIZE,
    async send(notification, targets, signal) {
      const message = apnsMessage(notification)
      const outcomes: Outcome[] = new Array(targets.length)
      const sending: Sending = { notification, targets, outcomes, signal, message, bodyFor: bodies(message) }
      await Promise.all(groupsOf(sending, routes).map((group) => sendGroup(group, sending)))
      return outcomes
    },
    ...(routes.areForDevelopment && { maxDevices: MAX_DEVELOPMENT_DEVICES }),
    close: () => routes.close(),
  }
}

/**
 * Groups the sendable devices by route, and sets the outcomes of the others. A token that is not hexadecimal is not sent; it gets
 * the reason that APNs would return.
 */
function groupsOf({ notification, targets, outcomes, bodyFor }: Sending, routes: ApnsRoutes): Group[] {
  const groups = new Map<string, Group | Outcome>()
  targets.forEach((target, position) => {
    const key = `${target.teamId ?? ''} ${target.topic ?? ''}`
    let group = groups.get(key)
    if (!group) {
      group = groupOf(routes.find(notification.prod, target))
      groups.set(key, group)
    }
    const body = bodyFor(target.badge)
    if ('kind' in group) outcomes[position] = group
    else if ('kind' in body) outcomes[position] = body
    else if (DEVICE_TOKEN.test(target.token)) group.positions.push(position)
    else outcomes[position] = refused('BadDeviceToken')
  })
  return [...groups.values()].flatMap((group) => ('kind' in group ? [] : [group]))
}

function groupOf(route: ApnsRoute | string): Group | Outcome {
  if (typeof route === 'string') return refused(route)
  return route.topic === null || TOPIC.test(route.topic) ? { route, positions: [] } : refused('BadTopic')
}

/** Sends to a group. Retries once with a new token if APNs reports the first one as expired. */
async function sendGroup({ route, positions }: Group, sending: Sending): Promise<void> {
  const { token } = route
  if (!token) return void (await attempt(route, positions, null, sending))
  const authorization = await token.get()
  const stale = await attempt(route, positions, authorization, sending)
  if (stale.length > 0) await attempt(route, stale, await token.replace(authorization), sending)
}

/** Sends one request per device. @returns the indexes of targets that failed because the provider token has expired */
async function attempt(
  { connection, topic }: ApnsRoute,
  positions: readonly number[],
  authorization: string | null,
  { notification, targets, outcomes, signal, message, bodyFor }: Sending,
): Promise<number[]> {
  const shared: OutgoingHttpHeaders = {
    ':method': 'POST',
    ...message.headers,
    ...(topic !== null && { 'apns-topic': topic }),
    ...(authorization !== null && { authorization: `bearer ${authorization}` }),
  }
  const requests = positions.map((position): Http2Request => {
    const { token, badge } = targets[position]!
    const headers = {
      ...shared,
      ':path': `/3/device/${encodeURIComponent(token)}`,
      'apns-id': apnsId(notification.id, token),
    }
    return { headers, body: bodyFor(badge) as Buffer }
  })
  const answers = await connection.exchange(requests, signal)
  return positions.filter((position, index) => {
    outcomes[position] = apnsOutcome(answers[index]!)
    return wantsNewToken(answers[index]!)
  })
}

function refused(reason: string): Outcome {
  return { kind: 'refused', reason }
}

/** Returns a function that caches payloads by badge; an outcome instead if the payload is too large. */
function bodies(message: ApnsMessage): (badge: number | null) => Buffer | Outcome {
  const known = new Map<number | null, Buffer | Outcome>()
  return (badge) => {
    const key = message.countsBadges ? badge : null
    let body = known.get(key)
    if (!body) {
      const payload = payloadFor(message, key)
      const { length } = payload
      const tooLarge = `the payload has ${length} bytes, ${message.maxSize} are allowed`
      body = length <= message.maxSize ? payload : refused(tooLarge)
      known.set(key, body)
    }
    return body
  }
}

/** Returns a UUID that is the same for every attempt for a device. It identifies the notification at Apple. */
export function apnsId(id: string, token: string): string {
  const hex = hash('sha1', `${id} ${token.toLowerCase()}`)
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
