import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endless, hang, html, json, reset } from '../../../test/support/stand-in-vendors.ts'
import { endpoint, formRequest, jsonRequest, requestVendor } from './vendor-request.ts'

let answer: (response: ServerResponse) => void = json({})
let received = { path: '', body: '', type: '' }
const server = createServer(async (request, response) => {
  received = { path: request.url!, body: await text(request), type: request.headers['content-type']! }
  answer(response)
})
const never = new AbortController().signal
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const request = (timeout = 5000, signal = never) => requestVendor(jsonRequest(url(), { a: 1 }), signal, timeout)

const deep = (response: ServerResponse) => void response.end(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`)

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it('returns a JSON response of status 200 or of an error', async () => {
  answer = json({ code: 7 })
  expect(await request()).toEqual({ status: 200, content: { code: 7 } })
  answer = json({ code: 8 }, 400)
  expect(await request()).toEqual({ status: 400, content: { code: 8 } })
  expect(received).toMatchObject({ body: '{"a":1}', type: 'application/json; charset=utf-8' })
})

it('returns an error without JSON with its status alone', async () => {
  answer = html(404)
  expect(await request()).toEqual({ status: 404, content: {} })
})

it.each([
  ['a 5xx', html(503), /^HTTP status 503$/],
  ['a 429', html(429), /^HTTP status 429$/],
  ['HTML', html(200), /^the response is not a JSON object$/],
  ['an array', json([1]), /^the response is not a JSON object$/],
  ['JSON of endless depth', deep, /^the response is not a JSON object$/],
  ['an answer without end', endless, /^the response has more than 1048576 bytes$/],
  ['a broken connection', reset, /^cannot reach the vendor \(\w+\)$/],
])('returns later for %s', async (_, fault, reason) => {
  answer = fault
  expect(await request()).toEqual({ kind: 'later', reason: expect.stringMatching(reason), after: null })
})

it('passes on the requested delay, up to a day', async () => {
  answer = html(503, { 'retry-after': '30' })
  expect(await request()).toMatchObject({ kind: 'later', after: 30_000 })
  answer = html(503, { 'retry-after': '99999999' })
  expect(await request()).toMatchObject({ kind: 'later', after: 86_400_000 })
})

it('rejects a redirect without following it', async () => {
  answer = html(307, { location: `${url()}/elsewhere` })
  expect(await request()).toEqual({ kind: 'refused', reason: 'HTTP status 307: redirects are not followed' })
  expect(received.path).toBe('/')
})

it('stops waiting for a late response', async () => {
  answer = hang
  expect(await request(50)).toMatchObject({ kind: 'later', reason: 'no response in time' })
})

it('ends immediately when sending is stopped', async () => {
  const stopping = new AbortController()
  answer = () => stopping.abort()
  expect(await request(60_000, stopping.signal)).toMatchObject({ kind: 'later', reason: 'the delivery was stopped' })
})

it('rejects a credential that is not valid in a header, without revealing it', async () => {
  const request = jsonRequest(url(), {}, { authorization: 'key=ge\nheim' })
  expect(await requestVendor(request, never)).toEqual({
    kind: 'refused',
    reason: 'the request is invalid (TypeError)',
  })
})

it('encodes form fields', async () => {
  answer = json({})
  await requestVendor(formRequest(url(), { a: '你好 &=', b: '' }), never)
  expect(received.body).toBe('a=%E4%BD%A0%E5%A5%BD+%26%3D&b=')
})

it('puts the path of a proxy before the path of the vendor', () => {
  expect(endpoint('https://proxy.example/mi/', '/v3/message')).toBe('https://proxy.example/mi/v3/message')
})
