import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { AppRecord } from '../../apps/apps.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, reasonOf, warning } from '../finding.ts'

const DAY_MS = 86_400_000
const FEW_DAYS = 30

/**
 * Checks that the keys and certificates of push providers can be read, and when they expire. The providers are not contacted; the
 * console does that for one credential at a time.
 */
export function checkPushCredentials({ apps }: Examination): Finding[] {
  return (apps ?? []).flatMap((app) => [...checkApple(app), ...checkGoogle(app)])
}

function checkApple({ id: app, settings: { push } }: AppRecord): Finding[] {
  const { keys, certificates } = push.apns
  const ofKeys = Object.entries(keys).map(([name, { privateKey }]) =>
    checkKey({ app, name, provider: 'apns' }, () => {
      if (createPrivateKey(privateKey).asymmetricKeyDetails?.namedCurve !== 'prime256v1')
        throw new Error('the key must be of the curve P-256')
    }),
  )
  const ofCertificates = Object.entries(certificates).map(([name, { certificate, privateKey, passphrase }]) =>
    checkCertificate(app, name, certificate, () =>
      createPrivateKey({ key: privateKey, format: 'pem', ...(passphrase !== undefined && { passphrase }) }),
    ),
  )
  return [...ofKeys, ...ofCertificates]
}

function checkGoogle({ id: app, settings: { push } }: AppRecord): Finding[] {
  return Object.entries(push.fcm).map(([name, { privateKey }]) =>
    checkKey({ app, name, provider: 'fcm' }, () => void createPrivateKey(privateKey)),
  )
}

interface Named {
  readonly app: string
  readonly name: string
  readonly provider: string
}

function checkKey(named: Named, read: () => void): Finding {
  try {
    read()
    return fine('doctorPush', { ...named })
  } catch (error) {
    return failure('doctorPushUnreadable', { ...named, reason: reasonOf(error) })
  }
}

function checkCertificate(
  app: string,
  name: string,
  pem: string,
  readKey: () => Parameters<X509Certificate['checkPrivateKey']>[0],
): Finding {
  try {
    const certificate = new X509Certificate(pem)
    const until = Date.parse(certificate.validTo)
    const date = new Date(until).toISOString().slice(0, 10)
    const days = Math.floor((until - Date.now()) / DAY_MS)
    if (days < 0) return failure('doctorPushExpired', { app, name, date })
    if (!certificate.checkPrivateKey(readKey())) throw new Error('the private key belongs to another certificate')
    return days < FEW_DAYS
      ? warning('doctorPushExpiring', { app, name, date, days: String(days) })
      : fine('doctorPushValid', { app, name, days: String(days) })
  } catch (error) {
    return failure('doctorPushUnreadable', { app, name, provider: 'apns', reason: reasonOf(error) })
  }
}
