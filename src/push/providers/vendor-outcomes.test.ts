import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type StandInVendors, standInSettings, startStandInVendors } from '../../../test/support/stand-in-vendors.ts'
import { OpenedProviders } from '../opened-providers.ts'
import { pushSettings } from '../push-settings.ts'
import type { Notification, Outcome, Provider } from './provider.ts'

const never = new AbortController().signal
const notification: Notification = {
  id: 'pX4mQ9tYkR2sVb7N',
  content: { alert: 'Lunch' },
  expiresAt: null,
  prod: 'prod',
  channel: null,
}

const log = pino({ level: 'silent' })
let vendors: StandInVendors
let providers: Record<'hms' | 'honor' | 'mi' | 'mz' | 'oppo' | 'vivo', Provider>

beforeAll(async () => {
  vendors = await startStandInVendors()
  providers = {
    hms: open('hms'),
    honor: open('honor'),
    mi: open('mi'),
    mz: open('mz'),
    oppo: open('oppo'),
    vivo: open('vivo'),
  }
})

/** Opens a new provider, which has neither a token nor a saved message. */
function open(name: keyof typeof providers): Provider {
  const settings = pushSettings.parse(standInSettings(vendors.url))
  return new OpenedProviders(() => settings, log).find(name, null)!
}

afterAll(async () => {
  for (const provider of Object.values(providers)) provider.close()
  await vendors.stop()
})

/** Returns the outcomes of devices `d1`, `d2`, … for a sequence of the vendor's responses. */
async function outcomes(name: keyof typeof providers, devices: number, ...answers: unknown[]) {
  vendors.vendors[name].answers.push(...answers)
  const tokens = Array.from({ length: devices }, (_, index) => `d${index + 1}`)
  const targets = tokens.map((token) => ({ token, badge: null, topic: null, teamId: null }))
  const result = await providers[name].send(notification, targets, never)
  expect(vendors.vendors[name].answers).toEqual([])
  return result
}

const accepted: Outcome = { kind: 'accepted' }
const refused = (reason: string) => ({ kind: 'refused', reason })
const later = (reason: string) => ({ kind: 'later', reason, after: null })
const tomorrow = (reason: string) => ({ kind: 'later', reason, after: expect.any(Number) })
const gone = { kind: 'gone', reason: expect.any(String) }

it.each([
  ['80000000', accepted],
  ['80100001', refused('80100001: text')],
  ['80100003', refused('80100003: text')],
  ['80100016', refused('80100016: text')],
  ['80300002', refused('80300002: text')],
  ['80300007', gone],
  ['80300008', refused('80300008: text')],
  ['80600003', later('80600003: text')],
  ['81000001', later('81000001: text')],
])('hms: %s', async (code, outcome) => {
  expect(await outcomes('hms', 1, { code, msg: 'text', requestId: '1' })).toEqual([outcome])
})

it('hms: reads the failed tokens of a partial success', async () => {
  const msg = JSON.stringify({ success: 2, failure: 1, illegal_tokens: ['d2', 'd9', 7] })
  expect(await outcomes('hms', 3, { code: '80100000', msg })).toEqual([accepted, gone, accepted])
})

it.each(['80200001', '80200003'])('hms: rejects the credentials after code %s twice', async (code) => {
  const answer = { code, msg: 'OAuth' }
  expect(await outcomes('hms', 1, answer, answer)).toEqual([refused(`${code}: OAuth`)])
})

it.each([
  [200, accepted],
  ['80000000', accepted],
  [80100003, refused('80100003: text')],
  [80300007, gone],
  [81000001, later('81000001: text')],
])('honor: %s', async (code, outcome) => {
  expect(await outcomes('honor', 1, { code, message: 'text' })).toEqual([outcome])
})

it('honor: returns gone for expired tokens, and refused for others that failed', async () => {
  const data = { sendResult: true, requestId: '1', failTokens: ['d1'], expireTokens: ['d3'] }
  const result = await outcomes('honor', 3, { code: 80100000, message: 'part', data })
  expect(result).toEqual([refused('the push to this token failed'), accepted, gone])
})

it.each([
  [0, accepted],
  [10001, later('10001: why')],
  [10002, later('10002: why')],
  [10027, later('10027: why')],
  [10034, tomorrow('10034: why')],
  [10017, refused('10017: why')],
  [20301, refused('20301: why')],
  [21301, refused('21301: why')],
  [22022, refused('22022: why')],
  [27001, refused('27001: why')],
])('mi: %s', async (code, outcome) => {
  const answer = { result: code ? 'error' : 'ok', code, reason: 'why', description: '发送消息失败' }
  expect(await outcomes('mi', 1, answer)).toEqual([outcome])
})

it('mi: uses the description without a reason', async () => {
  const answer = { result: 'error', code: 22000, reason: '', description: '非法应用' }
  expect(await outcomes('mi', 1, answer)).toEqual([refused('22000: 非法应用')])
})

it('mi: reads bad registration ids, as some or all of the devices', async () => {
  expect(await outcomes('mi', 3, { code: 0, data: { id: 'x', bad_regids: 'd1, d3' } })).toEqual([gone, accepted, gone])
  expect(await outcomes('mi', 2, { code: 20301, reason: 'No valid targets!' })).toEqual([gone, gone])
})

it.each([
  ['200', accepted],
  [200, accepted],
  ['500', later('500: text')],
  ['1001', later('1001: text')],
  ['1003', later('1003: text')],
  ['110010', later('110010: text')],
  ['1005', refused('1005: text')],
  ['1006', refused('1006: text')],
  ['110009', refused('110009: text')],
])('mz: %j', async (code, outcome) => {
  expect(await outcomes('mz', 1, { code, message: 'text', value: '' })).toEqual([outcome])
})

it('mz: reads failed tokens by reason', async () => {
  const value = { 110002: ['d1'], 110003: ['d2'], 519: ['d3'], 201: ['d4'], 999: ['d5'] }
  const [first, second, third, fourth, fifth, sixth] = await outcomes('mz', 6, { code: '200', value })
  expect([first, second]).toEqual([gone, gone])
  expect(third).toMatchObject({ kind: 'later', reason: expect.stringMatching(/^519/) })
  expect([fourth?.kind, fifth, sixth]).toEqual(['refused', refused('999'), accepted])
})

it.each([
  [0, accepted],
  [-2, later('-2: text')],
  [-1, later('-1: text')],
  [13, later('13: text')],
  [55, later('55: text')],
  [33, tomorrow('33: text')],
  [28, refused('28: text')],
  [30, refused('30: text')],
  [41, refused('41: text')],
  [67, refused('67: text')],
])('oppo: %s', async (code, outcome) => {
  expect(await outcomes('oppo', 1, { code, message: 'text', data: [] })).toEqual([outcome])
})

it('oppo: reads an outcome per device, and accepts duplicates', async () => {
  const data = [
    { registrationId: 'd1', messageId: 'm' },
    { registrationId: 'd2', messageId: 'm', errorCode: 10000, errorMessage: 'Invalid Registration_id' },
    { registrationId: 'd3', errorCode: 32, errorMessage: 'Data Duplicate' },
    { registrationId: 'd4', errorCode: -1, errorMessage: 'Service Currently Unavailable' },
    { registrationId: 'd5', errorCode: 28, errorMessage: 'App Disabled' },
  ]
  expect(await outcomes('oppo', 5, { code: 0, message: 'Success', data })).toEqual([
    accepted,
    gone,
    accepted,
    later('-1: Service Currently Unavailable'),
    refused('28: App Disabled'),
  ])
})

it.each([
  [0, accepted],
  [10302, gone],
  [10070, tomorrow('10070: text')],
  [10072, later('10072: text')],
  [10056, refused('10056: text')],
])('vivo, one device: %s', async (result, outcome) => {
  expect(await outcomes('vivo', 1, { result, desc: 'text' })).toEqual([outcome])
})

it('vivo, one device: reads an invalid device in a successful response', async () => {
  const answer = { result: 0, desc: 'ok', invalidUser: { userid: 'd1', status: 1 } }
  expect(await outcomes('vivo', 1, answer)).toEqual([gone])
})

it('vivo, several devices: reads the failed devices with their reasons', async () => {
  const statuses = [1, 2, 3, 4, 5]
  const invalidUsers = statuses.map((status) => ({ userid: `d${status}`, status }))
  const list = { result: 0, desc: 'ok', invalidUsers }
  providers.vivo.close()
  providers.vivo = open('vivo')
  const result = await outcomes('vivo', 6, { result: 0, taskId: '1' }, list)
  expect(result.map(({ kind }) => kind)).toEqual(['gone', 'gone', 'refused', 'refused', 'refused', 'accepted'])
})

it('vivo: saves a message once for all lists of a push, and again when vivo no longer knows it', async () => {
  const ok = { result: 0, desc: 'ok' }
  providers.vivo.close()
  providers.vivo = open('vivo')
  expect(await outcomes('vivo', 2, { result: 0, taskId: 1 }, ok)).toEqual([accepted, accepted])
  expect(await outcomes('vivo', 2, ok)).toEqual([accepted, accepted])
  expect(await outcomes('vivo', 2, { result: 10209, desc: 'no such task' })).toEqual(
    Array(2).fill(refused('10209: no such task')),
  )
  expect(await outcomes('vivo', 2, { result: 0, taskId: 2 }, ok)).toEqual([accepted, accepted])
})

it('vivo: delays the push until the next day when the quota of saved messages is used up', async () => {
  vendors.vendors.vivo.answers.push({ result: 10252, desc: 'too many' })
  const targets = ['d1', 'd2'].map((token) => ({ token, badge: null, topic: null, teamId: null }))
  const other = { ...notification, id: 'anotherPush00000' }
  const result = await providers.vivo.send(other, targets, never)
  expect(result).toEqual(Array(2).fill(tomorrow('10252: too many')))
})
