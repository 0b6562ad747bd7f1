import { expect, it } from 'vitest'
import { smsProviderSettings } from './sms-settings.ts'

const alibaba = { accessKeyId: 'id', accessKeySecret: 'secret', signName: '小店', template: 'SMS_1' }
const tencent = { secretId: 'id', secretKey: 'secret', sdkAppId: '1400006666', signName: '小店', template: '1110' }
const webhook = { url: 'https://sms.example.org/send?from=home', secret: 'secret' }

const faults = (settings: unknown) =>
  smsProviderSettings.safeParse(settings).error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? []

it('defaults to the outbox', () => {
  expect(smsProviderSettings.parse(undefined)).toEqual({ provider: 'outbox' })
  expect(smsProviderSettings.parse({})).toEqual({ provider: 'outbox' })
})

it('accepts the settings of each provider, and keeps those of others', () => {
  const settings = { provider: 'alibaba', alibaba, tencent, webhook }
  expect(smsProviderSettings.parse(settings)).toEqual({
    ...settings,
    tencent: { ...tencent, region: 'ap-guangzhou' },
  })
  expect(faults({ provider: 'tencent', tencent })).toEqual([])
  expect(faults({ provider: 'webhook', webhook: { url: 'http://127.0.0.1:8080' } })).toEqual([])
})

it.each([
  ['webhook', ['url']],
  ['alibaba', ['accessKeyId', 'accessKeySecret', 'signName', 'template']],
  ['tencent', ['secretId', 'secretKey', 'sdkAppId', 'signName', 'template']],
])('names each missing member of %s', (provider, members) => {
  const expected = members.map((member) => `${provider}.${member} is missing; the provider '${provider}' requires it`)
  expect(faults({ provider })).toEqual(expected)
})

it('names a member that is missing, empty, unknown or not a text', () => {
  const { signName: _, ...incomplete } = alibaba
  expect(faults({ alibaba: incomplete })).toEqual(['alibaba.signName is missing'])
  expect(faults({ alibaba: { ...alibaba, template: '' } })).toEqual(['alibaba.template must not be empty'])
  expect(faults({ tencent: { ...tencent, sdkAppId: 1400006666 } })).toEqual(['tencent.sdkAppId must be a string'])
  expect(faults({ webhook: { ...webhook, header: 'a' } })).toHaveLength(1)
  expect(faults({ provider: 'pigeon' })).toHaveLength(1)
})

it.each(['sms.example.org', 'ftp://sms.example.org', 'https://me:secret@sms.example.org/'])(
  'rejects %s as a webhook URL',
  (url) => expect(faults({ webhook: { url } })).toEqual([expect.stringContaining('webhook.url must be a URL')]),
)

it('rejects a path in an endpoint, because the signature is computed for the path /', () => {
  expect(faults({ alibaba: { ...alibaba, endpoint: 'https://dysmsapi.aliyuncs.com' } })).toEqual([])
  expect(faults({ alibaba: { ...alibaba, endpoint: 'https://dysmsapi.aliyuncs.com/' } })).toEqual([])
  expect(faults({ alibaba: { ...alibaba, endpoint: 'https://dysmsapi.aliyuncs.com/sms' } })).toHaveLength(1)
  expect(faults({ tencent: { ...tencent, endpoint: 'sms.tencentcloudapi.com' } })).toHaveLength(1)
})

it('rejects a key with a line end without repeating it', () => {
  const [fault] = faults({ tencent: { ...tencent, secretKey: 'hidden\n' } })
  expect(fault).toBe('tencent.secretKey must be visible ASCII characters without spaces')
})
