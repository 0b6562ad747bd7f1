import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultText } from './default-text.ts'
import { smsProvider } from './provider.ts'
import type { TextMessage } from './sms.ts'
import { smsProviderSettings } from './sms-settings.ts'

const message: TextMessage = {
  phone: '+8613800000000',
  kind: 'code',
  channel: 'sms',
  code: '135790',
  ttlMinutes: 10,
  appName: '小店',
  template: null,
  sign: null,
  variables: { name: 'Li', code: '000000' },
}
const notice: TextMessage = { ...message, kind: 'notice', code: null, variables: { shop: "(Li's)", day: '周一 & 二' } }
const now = new Date('2030-01-02T03:04:05.678Z')

/** The requests that the stub provider received. */
let received: { request: IncomingMessage; body: string }[]
let answer: (response: ServerResponse) => void
let logged: string[]
const server = createServer(async (request, response) => {
  received.push({ request, body: await text(request) })
  answer(response)
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

beforeEach(() => {
  received = []
  logged = []
  answer = (response) => response.end()
})

afterEach(() => {
  expect(logged.join('')).not.toMatch(/13800000000|135790|hidden/)
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const keys = { signName: '小店', template: 'T1' }

function send(provider: string, message: TextMessage, { url = origin(), timeout = 5000, secret = true } = {}) {
  const settings = smsProviderSettings.parse({
    provider,
    webhook: { url: `${url}/send`, ...(secret && { secret: 'hidden-webhook' }) },
    alibaba: { ...keys, accessKeyId: 'LTAI1', accessKeySecret: 'hidden-alibaba', endpoint: url },
    tencent: { ...keys, secretId: 'AKID1', secretKey: 'hidden-tencent', sdkAppId: '1400006666', endpoint: url },
  })
  const log = pino({ level: 'debug' }, { write: (line) => void logged.push(line) })
  return smsProvider(settings, { outbox: '/nowhere', log, now: () => now, timeout }).send(message)
}

const json = (content: unknown, status = 200) => {
  answer = (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
}
const sha256 = (data: string) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data)

/** Rebuilds the signed request from the received one: only headers that are named and were sent count. */
function canonicalRequest(names: string): string {
  const { request, body } = received[0]!
  const [path, query = ''] = request.url!.split('?')
  const headers = names.split(';').map((name) => `${name}:${request.headers[name]}\n`)
  return `${request.method}\n${path}\n${query}\n${headers.join('')}\n${names}\n${sha256(body)}`
}

describe('webhook', () => {
  it('posts the message and its text as JSON, signed together with the time', async () => {
    answer = (response) => response.writeHead(204).end()
    await send('webhook', message)
    const { request, body } = received[0]!
    expect([request.method, request.url, request.headers['content-type']]).toEqual([
      'POST',
      '/send',
      'application/json',
    ])
    expect(JSON.parse(body)).toEqual({ ...message, text: defaultText(message) })
    expect(request.headers['x-homeport-timestamp']).toBe(String(now.getTime()))
    const signature = hmac('hidden-webhook', `${now.getTime()}.${body}`).digest('hex')
    expect(request.headers['x-homeport-signature']).toBe(`sha256=${signature}`)
  })

  it('signs nothing without a secret, and also sends voice messages and notices', async () => {
    await send('webhook', { ...notice, channel: 'voice' }, { secret: false })
    expect(Object.keys(received[0]!.request.headers).filter((name) => name.startsWith('x-'))).toEqual([])
    expect(JSON.parse(received[0]!.body)).toMatchObject({ channel: 'voice', kind: 'notice', code: null, text: null })
  })

  it('does not wait for the end of the response', async () => {
    answer = (response) => void response.writeHead(200).write('I will tell you more')
    await send('webhook', message)
  })

  it.each([300, 302, 400, 404, 500])('maps a response with status %i to error 602', async (status) => {
    answer = (response) => response.writeHead(status, { location: `${origin()}/elsewhere` }).end()
    const text = `Fails to send message. The provider returned HTTP status ${status}.`
    await expect(send('webhook', message)).rejects.toMatchObject({ status: 400, code: 602, message: text })
    expect(received).toHaveLength(1)
  })
})

describe('alibaba', () => {
  const query = () => Object.fromEntries(new URL(received[0]!.request.url!, origin()).searchParams)

  it('calls SendSms with a signature that matches the received request', async () => {
    json({ Code: 'OK', Message: 'OK', BizId: '1', RequestId: '2' })
    await send('alibaba', notice)
    const { headers } = received[0]!.request
    expect(headers).toMatchObject({
      host: new URL(origin()).host,
      'x-acs-action': 'SendSms',
      'x-acs-version': '2017-05-25',
      'x-acs-date': '2030-01-02T03:04:05Z',
      'x-acs-content-sha256': sha256(received[0]!.body),
    })
    const [, keyId, names, signature] = /^ACS3-HMAC-SHA256 Credential=(.+),SignedHeaders=(.+),Signature=(.+)$/.exec(
      headers.authorization!,
    )!
    expect(keyId).toBe('LTAI1')
    expect(names!.split(';')).toEqual(['host', ...Object.keys(headers).filter((name) => /^x-acs-/.test(name))].sort())
    const toSign = `ACS3-HMAC-SHA256\n${sha256(canonicalRequest(names!))}`
    expect(signature).toBe(hmac('hidden-alibaba', toSign).digest('hex'))
  })

  it('passes the variables to the template, with the code and its minutes taking precedence', async () => {
    json({ Code: 'OK' })
    await send('alibaba', message)
    const { TemplateParam, ...others } = query()
    expect(others).toEqual({ PhoneNumbers: '8613800000000', SignName: '小店', TemplateCode: 'T1' })
    expect(JSON.parse(TemplateParam!)).toEqual({ name: 'Li', code: '135790', ttl: '10' })
  })

  it('passes only its variables for a notice; template and signature of the request take precedence', async () => {
    json({ Code: 'OK' })
    await send('alibaba', { ...notice, template: 'T2', sign: '大店' })
    expect(query()).toMatchObject({ SignName: '大店', TemplateCode: 'T2' })
    expect(JSON.parse(query().TemplateParam!)).toEqual(notice.variables)
  })

  it('uses a different nonce for each request', async () => {
    json({ Code: 'OK' })
    await Promise.all([send('alibaba', message), send('alibaba', message)])
    expect(new Set(received.map(({ request }) => request.headers['x-acs-signature-nonce']))).toHaveLength(2)
  })

  it.each([
    ['isv.SIGN_NAME_ILLEGAL', 600, 'Invalid SMS signature.'],
    ['isv.BUSINESS_LIMIT_CONTROL', 601, "Can't send SMS too frequently."],
    ['isv.DAY_LIMIT_CONTROL', 602, 'Fails to send message.'],
    ['isv.SMS_TEMPLATE_ILLEGAL', 604, 'SMS template not found.'],
    ['isv.SMS_SIGNATURE_ILLEGAL', 605, 'SMS sign not verified.'],
    ['isv.TEMPLATE_MISSING_PARAMETERS', 606, 'Fails to render SMS template.'],
    ['constructor', 602, 'Fails to send message.'],
  ])('maps %s to error %i', async (answered, code, text) => {
    json({ Code: answered, Message: 'No, 13800000000.' })
    const error = { status: 400, code, message: `${text} The provider returned '${answered}'.` }
    await expect(send('alibaba', message)).rejects.toMatchObject(error)
    expect(JSON.parse(logged.join(''))).toMatchObject({ level: 40, provider: 'alibaba', code, error: error.message })
  })

  it('maps wrong keys to error 602 with the code of the provider', async () => {
    json({ Code: 'InvalidAccessKeyId.NotFound', Message: 'Specified access key is not found.' }, 404)
    await expect(send('alibaba', message)).rejects.toMatchObject({
      code: 602,
      message: expect.stringMatching(/InvalidAccessKeyId\.NotFound/),
    })
  })
})

describe('tencent', () => {
  const sent = { Response: { SendStatusSet: [{ Code: 'Ok', PhoneNumber: message.phone }], RequestId: '1' } }

  it('calls SendSms with a signature that matches the received request', async () => {
    json(sent)
    await send('tencent', message)
    const { headers } = received[0]!.request
    const timestamp = String(Math.floor(now.getTime() / 1000))
    expect(headers).toMatchObject({
      host: new URL(origin()).host,
      'content-type': 'application/json; charset=utf-8',
      'x-tc-action': 'SendSms',
      'x-tc-version': '2021-01-11',
      'x-tc-region': 'ap-guangzhou',
      'x-tc-timestamp': timestamp,
    })
    const [, id, scope, names, signature] =
      /^TC3-HMAC-SHA256 Credential=(\w+)\/(.+), SignedHeaders=(.+), Signature=(.+)$/.exec(headers.authorization!)!
    expect([id, scope, names]).toEqual(['AKID1', '2030-01-02/sms/tc3_request', 'content-type;host'])
    const ofDay = hmac('TC3hidden-tencent', '2030-01-02').digest()
    const key = hmac(hmac(ofDay, 'sms').digest(), 'tc3_request').digest()
    const toSign = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256(canonicalRequest(names!))}`
    expect(signature).toBe(hmac(key, toSign).digest('hex'))
  })

  it('passes the code and its minutes to the template', async () => {
    json(sent)
    await send('tencent', message)
    expect(JSON.parse(received[0]!.body)).toEqual({
      PhoneNumberSet: ['+8613800000000'],
      SmsSdkAppId: '1400006666',
      SignName: '小店',
      TemplateId: 'T1',
      TemplateParamSet: ['135790', '10'],
    })
  })

  it('passes the variables of a notice in order; template and signature of the request take precedence', async () => {
    json(sent)
    await send('tencent', { ...notice, template: 'T2', sign: '大店' })
    const set = Object.values(notice.variables)
    expect(JSON.parse(received[0]!.body)).toMatchObject({ SignName: '大店', TemplateId: 'T2', TemplateParamSet: set })
  })

  it.each([
    ['LimitExceeded.PhoneNumberDailyLimit', 601, "Can't send SMS too frequently."],
    ['LimitExceeded.AppDailyLimit', 602, 'Fails to send message.'],
    ['AuthFailure.SignatureFailure', 602, 'Fails to send message.'],
    ['FailedOperation.TemplateIncorrectOrUnapproved', 604, 'SMS template not found.'],
    ['FailedOperation.SignatureIncorrectOrUnapproved', 605, 'SMS sign not verified.'],
    ['FailedOperation.TemplateParamSetNotMatchApprovedTemplate', 606, 'Fails to render SMS template.'],
  ])('maps %s to error %i, for the call and for the number', async (answered, code, text) => {
    const error = { status: 400, code, message: `${text} The provider returned '${answered}'.` }
    json({ Response: { Error: { Code: answered, Message: 'No, 13800000000.' }, RequestId: '1' } })
    await expect(send('tencent', message)).rejects.toMatchObject(error)
    json({ Response: { SendStatusSet: [{ Code: answered, PhoneNumber: message.phone }], RequestId: '1' } })
    await expect(send('tencent', message)).rejects.toMatchObject(error)
  })
})

it.each(['alibaba', 'tencent'])('%s: rejects voice without a request', async (provider) => {
  const error = { code: 602, message: expect.stringMatching(/Voice is not available/) }
  await expect(send(provider, { ...message, channel: 'voice' })).rejects.toMatchObject(error)
  expect(received).toEqual([])
})

it.each(['alibaba', 'tencent'])(
  '%s: maps an unexpected response to error 602 without repeating it',
  async (provider) => {
    const error = { code: 602, message: 'Fails to send message. The provider returned HTTP status 200.' }
    for (const content of ['<html>135790</html>', '{}', 'null', '{"Response":{"SendStatusSet":[]}}']) {
      answer = (response) => response.end(content)
      await expect(send(provider, message)).rejects.toMatchObject(error)
    }
    const spoken = '135790 to +8613800000000'
    json({ Code: spoken, Response: { Error: { Code: spoken } } })
    await expect(send(provider, message)).rejects.toMatchObject(error)
  },
)

it.each(['webhook', 'alibaba', 'tencent'])('%s: maps a timeout to error 602', async (provider) => {
  const error = { code: 602, message: 'Fails to send message. The provider did not respond in time.' }
  answer = () => {}
  await expect(send(provider, message, { timeout: 100 })).rejects.toMatchObject(error)
  expect(JSON.parse(logged.join(''))).toMatchObject({ level: 40, provider, code: 602 })
})

it.each(['alibaba', 'tencent'])('%s: requires the complete response in time', async (provider) => {
  answer = (response) => void response.write('{"Code":')
  const error = { code: 602, message: expect.stringMatching(/did not respond in time/) }
  await expect(send(provider, message, { timeout: 100 })).rejects.toMatchObject(error)
})

it.each(['alibaba', 'tencent'])('%s: maps a response of more than 64 KB to error 602', async (provider) => {
  answer = (response) => response.end('x'.repeat(65_537))
  const error = { code: 602, message: 'Fails to send message. The provider returned more than 65536 bytes.' }
  await expect(send(provider, message)).rejects.toMatchObject(error)
})

it.each(['webhook', 'alibaba', 'tencent'])('%s: maps an unreachable provider to error 602', async (provider) => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
  closed.close()
  await once(closed, 'close')
  const error = { code: 602, message: 'Fails to send message. The provider cannot be reached (ECONNREFUSED).' }
  await expect(send(provider, message, { url })).rejects.toMatchObject(error)
})
