import { afterEach, expect, it } from 'vitest'
import { deadUrl, json, KEYS, standInEngine } from '../../test/support/stand-in-engine.ts'
import { callEngine, objectIn } from './engine-call.ts'
import type { EngineFailure } from './engine-failure.ts'
import { hookHeaders } from './engine-headers.ts'

const engine = await standInEngine()

afterEach(() => {
  engine.calls.length = 0
})

async function call(url = engine.url, timeout = 5000) {
  const headers = hookHeaders(KEYS, true)
  return objectIn(await callEngine({ method: 'POST', url: `${url}/1.1/functions/f`, headers, body: '{}', timeout }))
}

/** The kind and text of the failure; checks that the text shows neither a key nor the engine's address. */
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
])('parses the response as JSON, whatever its content type: %s', async (type, body) => {
  engine.functions.set('f', (response) => {
    if (type) response.setHeader('content-type', type)
    response.end(body)
  })
  expect(await call()).toEqual({ result: { drop: true } })
})

it.each(['', ' ', 'null', '[1]', '"ok"'])(
  'reports a response other than a JSON object as garbage: %j',
  async (body) => {
    engine.functions.set('f', (response) => response.end(body))
    expect(await failure(call())).toEqual(['garbage', expect.stringMatching(/JSON object/)])
  },
)

it.each(['<html>', '{"result":', '['.repeat(5000)])(
  'reports a response other than JSON as unreadable: %.20s',
  async (body) => {
    engine.functions.set('f', (response) => response.end(body))
    expect(await failure(call())).toEqual(['unreadable', expect.stringMatching(/cannot be parsed/)])
  },
)

it.each([201, 204, 400, 401, 404, 500, 502, 503])('reports status %i as a failure, without a retry', async (status) => {
  engine.functions.set('f', (response) => response.writeHead(status).end(status === 204 ? '' : '{"result":{}}'))
  expect(await failure(call())).toEqual(['status', expect.stringContaining(String(status))])
  expect(engine.calls).toHaveLength(1)
})

it.each([301, 302, 307, 308])(
  'reports a redirect with status %i as a failure, without sending the keys elsewhere',
  async (status) => {
    engine.functions.set('f', (response) => response.writeHead(status, { location: `${engine.url}/elsewhere` }).end())
    expect((await failure(call()))[0]).toBe('status')
    expect(engine.calls).toHaveLength(1)
  },
)

it('gives up on an engine that does not respond in time', async () => {
  engine.functions.set('f', () => {})
  expect((await failure(call(engine.url, 50)))[0]).toBe('timeout')
})

it('gives up on a response that does not end', async () => {
  engine.functions.set('f', (response) => void response.writeHead(200).write('{"result":'))
  expect((await failure(call(engine.url, 100)))[0]).toBe('timeout')
})

it('reports a missing engine as unreachable', async () => {
  expect(await failure(call(await deadUrl()))).toEqual(['unreachable', expect.stringContaining('ECONNREFUSED')])
})

it('reports a dying engine as unreachable, without a retry', async () => {
  engine.functions.set('f', (response) => void response.socket!.destroy())
  expect((await failure(call()))[0]).toBe('unreachable')
  engine.functions.set('f', (response) => response.writeHead(200).write('{"result":', () => response.socket!.destroy()))
  expect((await failure(call()))[0]).toBe('unreachable')
  expect(engine.calls).toHaveLength(2)
})

it('limits the size of a response', async () => {
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

it('reads a response of several megabytes', async () => {
  engine.functions.set('f', json({ result: { text: 'x'.repeat(4_000_000) } }))
  expect((await call()).result).toEqual({ text: 'x'.repeat(4_000_000) })
})
