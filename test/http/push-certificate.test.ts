import { expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { CERTIFICATE, CERTIFICATE_KEY, EXPIRED_CERTIFICATE } from '../support/stand-in-certificate.ts'

const app = await makeApp()
const pem = (certificate: string) => ({ certificate, privateKey: CERTIFICATE_KEY })
await app.admin('PATCH', '/settings', {
  push: { apns: { certificates: { _default: pem(EXPIRED_CERTIFICATE), good: pem(CERTIFICATE) } } },
})

const data = { alert: 'x' }
const EXPIRED = { status: 400, body: { code: 1, error: 'The iOS certificate file is expired or disabled.' } }

const push = (path: string, body: object) => app.request('POST', path, { body, master: true })
const toInstallations = (where: object) => push('/1.1/push', { data, where })
const toDevices = (more: object) => push('/1.1/push/devices', { data, device_ids: ['id'], ...more })

it.each([
  { deviceType: 'ios' },
  { deviceType: { $in: ['ios', 'macos'] } },
  { deviceType: 'ios', deviceProfile: '_default' },
  { deviceType: 'ios', deviceProfile: { $eq: 'unheard' } },
])('rejects a push to %j when the certificate has expired', async (where) => {
  const { status, body } = await toInstallations(where)
  expect({ status, body }).toEqual(EXPIRED)
})

it('rejects a push to iOS devices by token when their certificate has expired', async () => {
  const { status, body } = await toDevices({ device_type: 'ios' })
  expect({ status, body }).toEqual(EXPIRED)
  expect((await toDevices({ device_type: 'ios', device_profile: 'good' })).status).toBe(200)
  expect((await toDevices({ device_type: 'android' })).status).toBe(200)
})

it('accepts a push to other devices too, or by another certificate', async () => {
  for (const where of [
    {},
    { deviceType: 'android' },
    { deviceType: { $in: ['ios', 'android'] } },
    { deviceType: 'ios', deviceProfile: 'good' },
  ])
    expect({ where, status: (await toInstallations(where)).status }).toEqual({ where, status: 200 })
})

it('an unused certificate rejects nothing when keys exist', async () => {
  const other = await makeApp()
  const apns = {
    keys: { TEAM: { keyId: 'KEY', privateKey: CERTIFICATE_KEY } },
    certificates: { _default: pem(EXPIRED_CERTIFICATE) },
    servers: { prod: 'http://127.0.0.1:1', dev: 'http://127.0.0.1:1' },
  }
  await other.admin('PATCH', '/settings', { push: { apns } })
  const body = { data, where: { deviceType: 'ios' } }
  expect((await other.request('POST', '/1.1/push', { body, master: true })).status).toBe(200)
})
