import { generateKeyPairSync } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { type Conversation, devicesOf } from '../../support/realtime.ts'
import { startStandInApns } from '../../support/stand-in-apns.ts'

const app = await makeApp()
const apns = await startStandInApns()
afterAll(() => apns.stop())

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
apns.keys.set('KEY', { teamId: 'TEAM', publicKey })
await app.admin('PATCH', '/settings', {
  push: {
    apns: {
      keys: { TEAM: { keyId: 'KEY', privateKey: pem, topics: ['com.example.chat'] } },
      servers: { prod: apns.url, dev: apns.url },
      trusted: apns.trusted,
    },
  },
})

const POLL = { timeout: 60_000 }
const newDevice = devicesOf(app)

async function makePhone(number: number, channels: readonly string[]): Promise<string> {
  const deviceToken = number.toString(16).padStart(64, '0')
  const body = { deviceType: 'ios', deviceToken, apnsTopic: 'com.example.chat', channels }
  expect((await app.request('POST', '/1.1/installations', { body })).status).toBe(201)
  return deviceToken
}

const shownTo = (token: string) => apns.pushes.filter((push) => push.token === token).map(({ payload }) => payload)

it('an offline member gets a push, an online one does not', async () => {
  const [jerry, spike] = [await makePhone(1, ['jerry']), await makePhone(2, ['spike'])]
  const device = newDevice()
  const tom = await device.logIn('tom')
  await newDevice().logIn('spike')
  const conversation = (await tom.createConversation({ members: ['jerry', 'spike'] })) as Conversation
  await conversation.send(new device.sdk.TextMessage('are you there?'), {
    pushData: { alert: 'Tom: are you there?', badge: 'Increment', chat: conversation.id },
  })
  await expect
    .poll(() => shownTo(jerry), POLL)
    .toEqual([{ aps: { alert: 'Tom: are you there?', badge: 1 }, chat: conversation.id }])
  expect(shownTo(spike)).toEqual([])
  const records = async () => (await app.request('GET', '/1.1/notifications', { master: true })).body.results
  await expect.poll(records, POLL).toMatchObject([{ 'from-service': 'rtm', devices: 1, iosSuccesses: 1 }])
})

it('a phone unknown to APNs is marked invalid', async () => {
  const token = await makePhone(3, ['gone'])
  apns.reply = (push) =>
    push.token === token ? { status: 410, body: { reason: 'Unregistered', timestamp: Date.now() } } : undefined
  const body = { where: { channels: 'gone' }, data: { alert: 'still there?' } }
  const { body: pushed } = await app.request('POST', '/1.1/push', { master: true, body })
  const record = async () =>
    (await app.request('GET', `/1.1/tables/Notifications/${pushed.objectId}`, { master: true })).body
  await expect.poll(async () => (await record()).status, POLL).not.toBe('in-queue')

  expect(await record()).toMatchObject({ devices: 1, successes: 0, invalidTokens: 1 })
  const where = JSON.stringify({ deviceToken: token })
  const left = await app.request('GET', '/1.1/classes/_Installation', { master: true, query: { where } })
  expect(left.body.results).toEqual([])
})
