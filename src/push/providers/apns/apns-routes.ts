import { X509Certificate } from 'node:crypto'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import type { Log } from '../../../log.ts'
import { Http2Connection } from '../http2-connection.ts'
import type { Target } from '../provider.ts'
import { type ApnsCertificate, certificateFor } from './apns-certificate.ts'
import type { ApnsSettings } from './apns-settings.ts'
import { type ProviderToken, providerToken } from './apns-token.ts'

/** How a device is reached. */
export interface ApnsRoute {
  readonly connection: Http2Connection
  /** null: the connection uses a certificate */
  readonly token: ProviderToken | null
  /** null: the topic of the certificate */
  readonly topic: string | null
}

export interface ApnsRoutes {
  /** Whether a certificate for the development environment is used. */
  readonly areForDevelopment: boolean
  /** Returns the route of a device. @returns the reason as a string when there is none */
  find(prod: 'dev' | 'prod', target: Pick<Target, 'topic' | 'teamId'>): ApnsRoute | string
  close(): void
}

const AT_ONCE = 500
const TIMEOUT = 30_000

/**
 * Returns the routes of devices with a profile: by the certificate of that name, else by keys, else by the certificate
 * `_default`. A certificate is for one environment; with a key the push chooses it.
 */
export function apnsRoutes(settings: ApnsSettings, profile: string | null, log: Log): ApnsRoutes {
  const { keys } = settings
  const certificate = certificateFor(settings, profile)
  const connections = new Map<string, Http2Connection | string>()
  const tokens = new Map<string, ProviderToken | string>()

  /** APNs accepts tokens of one team per connection. */
  const connectionOf = (environment: 'dev' | 'prod', team: string) =>
    remembered(connections, `${environment} ${team}`, () => {
      const secureContext = secureContextOf(settings.trusted, certificate)
      const url = settings.servers[environment]
      return new Http2Connection(
        { url, ...(secureContext && { secureContext }), atOnce: AT_ONCE, timeout: TIMEOUT },
        log,
      )
    })
  const tokenOf = (team: string) =>
    remembered(tokens, team, () => providerToken(team, keys[team]!.keyId, keys[team]!.privateKey))

  const byCertificate = (certificate: ApnsCertificate, target: Pick<Target, 'topic'>): ApnsRoute | string => {
    const connection = connectionOf(certificate.environment, '')
    if (typeof connection === 'string') return 'the certificate, its key or the trusted certificate cannot be read'
    return { connection, token: null, topic: target.topic ?? certificate.topic ?? settings.defaultTopic ?? null }
  }
  const byKey = (prod: 'dev' | 'prod', target: Pick<Target, 'topic' | 'teamId'>): ApnsRoute | string => {
    const team = teamOf(settings, target)
    if (team === null) return target.teamId ? 'there is no key of the team' : 'no key is for the topic'
    const topic = target.topic ?? onlyOne(keys[team]!.topics) ?? settings.defaultTopic
    if (!topic) return 'the topic is not known: neither the device nor the settings name it'
    const token = tokenOf(team)
    if (typeof token === 'string') return 'the key of the team is no key for ES256 in PEM'
    const connection = connectionOf(prod, team)
    if (typeof connection === 'string') return 'the trusted certificate cannot be read'
    return { connection, token, topic }
  }

  return {
    areForDevelopment: certificate?.environment === 'dev',
    find(prod, target) {
      if (certificate) return byCertificate(certificate, target)
      if (Object.keys(keys).length > 0) return byKey(prod, target)
      return `there are no keys, and no certificate '${profile ?? '_default'}'`
    },
    close() {
      for (const connection of connections.values()) if (typeof connection !== 'string') connection.close()
    },
  }
}

/** Returns the team of the device, else that of the topic, else the only one. */
function teamOf(
  { keys, defaultTopic }: ApnsSettings,
  { teamId, topic }: Pick<Target, 'topic' | 'teamId'>,
): string | null {
  if (teamId) return Object.hasOwn(keys, teamId) ? teamId : null
  const wanted = topic ?? defaultTopic
  const holder = Object.keys(keys).find((team) => wanted !== undefined && keys[team]!.topics.includes(wanted))
  return holder ?? onlyOne(Object.keys(keys)) ?? null
}

function onlyOne<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined
}

/** Creates a value on first use. A failure is remembered too, because the settings cannot change. */
function remembered<Made>(known: Map<string, Made | string>, key: string, make: () => Made): Made | string {
  const made = known.get(key)
  if (made !== undefined) return made
  let fresh: Made | string
  try {
    fresh = make()
  } catch {
    fresh = 'unusable'
  }
  known.set(key, fresh)
  return fresh
}

/** Creates the TLS context. @throws for an invalid certificate or key */
function secureContextOf(
  trusted: string | undefined,
  certificate: ApnsCertificate | undefined,
): SecureContext | undefined {
  if (!trusted && !certificate) return undefined
  // An invalid CA certificate would be ignored silently.
  if (trusted) new X509Certificate(trusted)
  return createSecureContext({
    ...(trusted && { ca: [...rootCertificates, trusted] }),
    ...(certificate && { cert: certificate.certificate, key: certificate.privateKey }),
    ...(certificate?.passphrase && { passphrase: certificate.passphrase }),
  })
}
