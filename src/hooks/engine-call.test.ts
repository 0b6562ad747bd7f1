import { afterEach, expect, it } from 'vitest'
import { deadUrl, json, KEYS, standInEngine } from '../../test/support/stand-in-engine.ts'
import { askEngine, objectIn } from './engine-call.ts'
import type { EngineFailure } from './engine-failure.ts'
import { hookHeaders } from './engine-headers.ts'

const engine = await standInEngine()

afterEach(() => {
  engine.calls.length = 0
})

async function call(url = engine.url, timeout = 5000) {
  const headers = hookHeaders(KEYS, true)
  return objectIn(await askEngine({ method: 'POST', url: `${url}/1.1/functions/f`, headers, body: '{}', timeout }))
}

/** Kind and text of the failure; the text shows neither a key nor where the engine is. */
async function failure(calling: Promise<unknown>): Promise<[kind: string, text: string]> {
  const error = (await calling.then(
    () => expect.fail('the call should have failed'),
    (error) => error,
  )) as EngineFailure
  expect(error.name).toBe('EngineFailure')
  expect(`${error.message} ${error.stack}`).not.toMatch(/secret|127\.0\.0\.1/)
  return [error.kind, error.message]
}

it.each([
  ['application/json', '{"result":{"drop":true}}'],
  ['text/html', '{"result":{"drop":true}}'],
  [null, ' {"result":{"drop":true}}\n'],
])('the answer is read as JSON, whatever it says of itself: %s', async (type, body) => {
  engine.functions.set('f', (response) => {
    if (type) response.setHeader('content-type', type)
    response.end(body)
  })
  expect(await call()).toEqual({ result: { drop: true } })
})

it.each(['', ' ', 'null', '[1]', '"ok"'])('what is no JSON object is garbage: %j', async (body) => {
  engine.functions.set('f', (response) => response.end(body))
  expect(await failure(call())).toEqual(['garbage', expect.stringMatching(/JSON object/)])
})

it.each(['<html>', '{"result":', '['.repeat(5000)])('what is no JSON is unreadable: %.20s', async (body) => {
  engine.functions.set('f', (response) => response.end(body))
  expect(await failure(call())).toEqual(['unreadable', expect.stringMatching(/cannot be read/)])
})

it.each([201, 204, 400, 401, 404, 500, 502, 503])('status %i is a failure, and is not tried again', async (status) => {
  engine.functions.set('f', (response) => response.writeHead(status).end(status === 204 ? '' : '{"result":{}}'))
  expect(await failure(call())).toEqual(['status', expect.stringContaining(String(status))])
  expect(engine.calls).toHaveLength(1)
})

it.each([301, 302, 307, 308])('a redirect with status %i is a failure: nobody else gets the keys', async (status) => {
  engine.functions.set('f', (response) => response.writeHead(status, { location: `${engine.url}/elsewhere` }).end())
  expect((await failure(call()))[0]).toBe('status')
  expect(engine.calls).toHaveLength(1)
})

it('an engine that does not answer in time is given up', async () => {
  engine.functions.set('f', () => {})
  expect((await failure(call(engine.url, 50)))[0]).toBe('timeout')
})

it('so is one that begins to answer and does not end', async () => {
  engine.functions.set('f', (response) => void response.writeHead(200).write('{"result":'))
  expect((await failure(call(engine.url, 100)))[0]).toBe('timeout')
})

it('an engine that is not there is unreachable', async () => {
  expect(await failure(call(await deadUrl()))).toEqual(['unreachable', expect.stringContaining('ECONNREFUSED')])
})

it('an engine that dies is unreachable, and is not called again', async () => {
  engine.functions.set('f', (response) => void response.socket!.destroy())
  expect((await failure(call()))[0]).toBe('unreachable')
  engine.functions.set('f', (response) => response.writeHead(200).write('{"result":', () => response.socket!.destroy()))
  expect((await failure(call()))[0]).toBe('unreachable')
  expect(engine.calls).toHaveLength(2)
})

it('an answer is not read without end', async () => {
  const megabyte = 'x'.repeat(1024 * 1024)
  let written = 0
  let isCutOff = false
  engine.functions.set('f', (response) => {
    const write = () => {
      while (!response.destroyed && written++ < 1000) if (!response.write(megabyte)) return
    }
    response.on('drain', write).on('close', () => {
      isCutOff = true
    })
    write()
  })
  expect((await failure(call()))[0]).toBe('unreadable')
  await expect.poll(() => isCutOff).toBe(true)
  expect(written).toBeLessThan(200)
})

it('an answer of several megabytes is read', async () => {
  engine.functions.set('f', json({ result: { text: 'x'.repeat(4_000_000) } }))
  expect((await call()).result).toEqual({ text: 'x'.repeat(4_000_000) })
})
