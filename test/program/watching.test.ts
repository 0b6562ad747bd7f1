import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { call, makeApp } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { newDatabase } from '../support/scratch-database.ts'

const ADMIN_TOKEN = 'token-of-the-administrator-of-one-test'
const METRICS_TOKEN = 'token-of-the-scraper-of-one-test'
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const REQUEST_ID = /^[0-9a-f]{32}-[0-9a-f]{16}$/
const TIMEOUT = { timeout: 60_000 }

const collector = await startOtlpReceiver()
afterAll(() => collector.stop())

/** Receives alerts, and calls of cloud code. */
const received: { readonly url: string; readonly headers: Record<string, unknown>; readonly body: string }[] = []
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString()
  })
  request.on('end', () => {
    received.push({ url: request.url!, headers: request.headers, body })
    response.end(request.url!.includes('ping') ? '{}' : '{"result":["hello"]}')
  })
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
afterAll(() => {
  receiver.close()
  receiver.closeAllConnections()
})
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const server = await makeHome(afterAll).start(
  ['--database-url', await newDatabase(), '--metrics-addresses', '203.0.113.0/24', '--trusted-proxies', 'loopback'],
  {
    HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
    HOMEPORT_METRICS_TOKEN: METRICS_TOKEN,
    HOMEPORT_ALERT_WEBHOOK: `${receiverUrl}/alerts`,
    HOMEPORT_ALERT_WEBHOOK_SECRET: 'secret of the webhook',
    HOMEPORT_LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'homeport-of-a-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  },
)
const app = await makeApp(server.url, ADMIN_TOKEN)

const readMetrics = async (headers: Record<string, string>) =>
  (await fetch(`${server.url}/metrics`, { headers })).status

test.each([
  ['without a token', {}, 401],
  ['with the metrics token', { authorization: `Bearer ${METRICS_TOKEN}` }, 200],
  ['with the token of the administrator', { authorization: `bearer ${ADMIN_TOKEN}` }, 200],
  ['with another token', { authorization: 'Bearer a-wrong-token' }, 401],
  ['from an allowed address behind a named proxy', { 'x-forwarded-for': '203.0.113.9' }, 200],
  ['from another address behind a named proxy', { 'x-forwarded-for': '198.51.100.9' }, 401],
  ['with a forged entry before that of the proxy', { 'x-forwarded-for': '203.0.113.9, 198.51.100.9' }, 401],
])('/metrics %s', async (_, headers, status) => {
  expect(await readMetrics(headers as Record<string, string>)).toBe(status)
})

test('the metrics token opens nothing else', async () => {
  const { status } = await call(
    server.url,
    'GET',
    '/admin/apps',
    { authorization: `Bearer ${METRICS_TOKEN}` },
    undefined,
  )
  expect(status).toBe(401)
})

test.each([
  ['GET', '/health', 200],
  ['GET', '/1.1/date', 200],
  ['GET', '/1.1/classes/Post', 401],
  ['GET', '/1.1/none', 404],
  ['GET', '/none', 404],
  ['OPTIONS', '/1.1/classes/Post', 204],
  ['GET', '/console/', 200],
  ['GET', '/%', 400],
])('the response of %s %s has a request id', async (method, path, status) => {
  const response = await fetch(`${server.url}${path}`, { method })
  if (!path.startsWith('/console')) expect(response.status).toBe(status)
  expect(response.headers.get('x-request-id')).toMatch(REQUEST_ID)
})

/** Sends raw bytes. @returns the head of the response */
async function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.write(text)
  let answer = ''
  for await (const chunk of socket) {
    answer += String(chunk)
    if (answer.includes('\r\n\r\n')) break
  }
  return answer
}

const HANDSHAKE = [
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  `traceparent: 00-${TRACE}-${PARENT}-01`,
].join('\r\n')

test.each([
  ['an invalid request', 'NONSENSE\r\n\r\n', '400'],
  ['a handshake', `GET / HTTP/1.1\r\n${HANDSHAKE}\r\nSec-WebSocket-Protocol: lc.json.3\r\n\r\n`, '101'],
  ['a rejected handshake', `GET / HTTP/1.1\r\n${HANDSHAKE}\r\nSec-WebSocket-Protocol: unknown\r\n\r\n`, '400'],
])('the response to %s has a request id', async (name, text, status) => {
  const head = await raw(text)
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  const id = /^X-Request-Id: (.*)$/m.exec(head)?.[1]
  expect(id).toMatch(REQUEST_ID)
  if (name !== 'an invalid request') expect(id).toContain(TRACE)
})

test('the log and the spans of a request have its id', async () => {
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` }
  const { headers: answered } = await app.request('POST', '/1.1/classes/Traced', { body: { secret: 'value' }, headers })
  const id = answered.get('x-request-id')!
  const [trace, span] = id.split('-') as [string, string]
  expect(trace).toBe(TRACE)
  await expect.poll(() => server.output(), TIMEOUT).toContain(`"requestId":"${id}"`)
  const ofTrace = () => collector.spans.filter(({ traceId }) => traceId === TRACE)
  await expect
    .poll(() => ofTrace().find(({ spanId }) => spanId === span), TIMEOUT)
    .toMatchObject({
      name: 'POST /1.1/classes/:className',
      kind: 2,
      parentSpanId: PARENT,
      attributes: { 'http.request.method': 'POST', 'http.route': '/1.1/classes/:className' },
      resource: { 'service.name': 'homeport-of-a-test', 'deployment.environment.name': 'test' },
    })
  await expect
    .poll(() => ofTrace().find(({ attributes }) => attributes['db.system.name'] === 'postgresql'), TIMEOUT)
    .toMatchObject({ kind: 3, traceId: TRACE })
  expect(JSON.stringify(ofTrace())).not.toMatch(/"value"/)
  expect(collector.requests.every((request) => request === '/v1/traces application/json')).toBe(true)
})

test('a request without a trace begins one', async () => {
  const { headers } = await app.request('GET', '/1.1/classes/Traced')
  const [trace, span] = headers.get('x-request-id')!.split('-') as [string, string]
  await expect
    .poll(() => collector.spans.find(({ spanId }) => spanId === span), TIMEOUT)
    .toMatchObject({ traceId: trace })
})

test('cloud code gets the trace of the request', async () => {
  const settings = { engine: { production: receiverUrl } }
  expect((await app.admin('PATCH', '/settings', settings)).status).toBe(200)
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` }
  await app.request('POST', '/1.1/functions/hello', { body: {}, headers })
  const calls = () => received.filter(({ url }) => url === '/1.1/functions/hello')
  await expect.poll(() => calls().length, TIMEOUT).toBe(1)
  const sent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(calls()[0]!.headers.traceparent))
  expect(sent?.[1]).toBe(TRACE)
  await expect
    .poll(() => collector.spans.find(({ spanId }) => spanId === sent?.[2]), TIMEOUT)
    .toMatchObject({ name: 'POST', kind: 3, attributes: { 'server.address': new URL(receiverUrl).host } })
})

test('the management API shows alerts, and sends a test alert', async () => {
  const admin = (method: string, path: string) =>
    call(server.url, method, path, { authorization: `Bearer ${ADMIN_TOKEN}` }, undefined)
  expect(await admin('GET', '/admin/alerts')).toMatchObject({ status: 200, body: { alerts: expect.any(Array) } })
  expect(await admin('POST', '/admin/alerts/test')).toMatchObject({
    status: 200,
    body: { recipients: 0, mailProblem: null, webhook: { format: 'json', problem: null } },
  })
  const [alert] = received.filter(({ url }) => url === '/alerts')
  expect(JSON.parse(alert!.body)).toMatchObject({ event: 'test', alert: 'test', notice: { code: 'alertTest' } })
  expect(alert!.headers['x-homeport-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
})
