import { generateKeyPairSync } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { startStandInApns } from '../../../test/support/stand-in-apns.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../test/support/stand-in-certificate.ts'
import { fcmError, startStandInFcm } from '../../../test/support/stand-in-fcm.ts'
import { standInSettings, startStandInVendors } from '../../../test/support/stand-in-vendors.ts'
import { pushSettings } from '../push-settings.ts'
import { checkCredential } from './check-credential.ts'

const vendors = await startStandInVendors()
afterAll(() => vendors.stop())
const usual = standInSettings(vendors.url)
const VENDORS = ['hms', 'honor', 'mi', 'mz', 'oppo', 'vivo'] as const
const SECRET = {
  hms: 'appSecret',
  honor: 'clientSecret',
  mi: 'appSecret',
  mz: 'appSecret',
  oppo: 'masterSecret',
  vivo: 'appSecret',
}

const log = pino({ level: 'silent' })
const check = (push: object, provider: Parameters<typeof checkCredential>[1]['provider'], name = '_default') =>
  checkCredential(pushSettings.parse(push), { provider, kind: 'account', name }, log)

it.each(VENDORS)('accepts a valid secret of %s, and sends nothing to any device', async (vendor) => {
  expect(await check({ [vendor]: usual[vendor] }, vendor)).toEqual({ verdict: 'valid' })
  const tokens = [...vendors.vendors[vendor].delivered.keys()]
  expect(tokens.every((token) => token.startsWith('homeport-check-'))).toBe(true)
})

it.each(VENDORS)('reports that %s rejects a wrong secret, without repeating it', async (vendor) => {
  const wrong = { ...usual[vendor]._default, [SECRET[vendor]]: 'not-the-secret' }
  const verdict = await check({ [vendor]: { _default: wrong } }, vendor)
  expect(verdict).toEqual({ verdict: 'refused', reason: expect.any(String) })
  expect(JSON.stringify(verdict)).not.toContain('not-the-secret')
})

it.each(VENDORS)('treats a response of %s about the unknown device as a valid credential', async (vendor) => {
  const answers = {
    hms: { code: '80300007', msg: 'All the tokens are invalid' },
    honor: { code: 80300007, message: 'All the tokens are invalid' },
    mi: { code: 20301, reason: 'No valid targets!' },
    mz: { code: 200, value: {} },
    oppo: { code: 0, data: [] },
    vivo: { result: 10302, desc: 'regId不合法' },
  }
  vendors.vendors[vendor].answers.push(answers[vendor])
  expect(await check({ [vendor]: usual[vendor] }, vendor)).toEqual({ verdict: 'valid' })
})

it('reports an unreachable provider', async () => {
  const away = { ...usual.mi._default, url: 'http://127.0.0.1:1' }
  expect(await check({ mi: { _default: away } }, 'mi')).toMatchObject({ verdict: 'unreachable' })
})

it('returns null for a missing credential', async () => {
  expect(await check({ mi: usual.mi }, 'mi', 'another')).toBeNull()
  expect(await check({}, 'apns', 'TEAM')).toBeNull()
})

it('accepts an FCM service account by its key', async () => {
  const fcm = await startStandInFcm()
  onTestFinished(() => fcm.stop())
  const accounts = (settings: object) => ({ fcm: { _default: { ...fcm.settings, ...settings } } })
  expect(await check(accounts({}), 'fcm')).toEqual({ verdict: 'valid' })
  fcm.reply = () => fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT')
  expect(await check(accounts({}), 'fcm')).toEqual({ verdict: 'valid' })
  fcm.reply = () => fcmError(403, 'PERMISSION_DENIED')
  expect(await check(accounts({}), 'fcm')).toEqual({ verdict: 'refused', reason: 'PERMISSION_DENIED' })
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  expect(await check(accounts({ privateKey: other }), 'fcm')).toMatchObject({ verdict: 'refused' })
})

it('checks an APNs key even if a certificate takes precedence, and a certificate separately', async () => {
  const apns = await startStandInApns()
  onTestFinished(() => apns.stop())
  const [right, wrong] = [1, 2].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }))
  apns.keys.set('KEY', { teamId: 'TEAM', publicKey: right!.publicKey })
  apns.reply = () => ({ status: 400, body: { reason: 'BadDeviceToken' } })
  const settings = (key: typeof right) =>
    pushSettings.parse({
      apns: {
        servers: { prod: apns.url, dev: apns.url },
        trusted: apns.trusted,
        keys: {
          TEAM: {
            keyId: 'KEY',
            privateKey: key!.privateKey.export({ type: 'pkcs8', format: 'pem' }),
            topics: ['com.example.app', 'com.example.other'],
          },
        },
        certificates: { _default: { certificate: CERTIFICATE, privateKey: CERTIFICATE_KEY, topic: 'com.example.app' } },
      },
    })
  const key = { provider: 'apns', kind: 'key', name: 'TEAM' } as const
  expect(await checkCredential(settings(right), key, log)).toEqual({ verdict: 'valid' })
  expect(apns.certificates).toBe(0)
  expect(await checkCredential(settings(wrong), key, log)).toMatchObject({ verdict: 'refused' })
  const certificate = { provider: 'apns', kind: 'certificate', name: '_default' } as const
  expect(await checkCredential(settings(right), certificate, log)).toEqual({ verdict: 'valid' })
  expect(apns.certificates).toBe(1)
})
