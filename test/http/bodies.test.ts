import net from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { call, makeApp } from '../support/app.ts'

const app = await makeApp()
const MEGABYTE = 1024 * 1024
const json = { 'content-type': 'application/json' }
const named = { ...json, 'x-lc-id': app.appId }

/** Sends the head of a POST with a declared body, without the body: a rejection must come before it. */
async function declare(path: string, headers: Record<string, string>): Promise<{ status: number; body: unknown }> {
  const { hostname, port } = new URL(app.url)
  const socket = net.connect(Number(port), hostname)
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const answer = await text(socket)
  return { status: Number(answer.slice(9, 12)), body: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) }
}

describe('rejects a large body before reading it', () => {
  const size = { 'content-length': String(5 * MEGABYTE) }
  const path = '/1.1/classes/Post'

  it.each([
    ['without credentials', { ...json, ...size }],
    ['with an id alone', { ...named, ...size }],
    ['with a wrong key', { ...named, ...size, 'x-lc-key': 'wrong' }],
    ['with a wrong signature', { ...named, ...size, 'x-lc-sign': 'wrong,1' }],
    ['of an app that does not exist', { ...json, ...size, 'x-lc-id': 'nobody', 'x-lc-key': app.appKey }],
    ['without credentials and of unknown length', { ...json, 'transfer-encoding': 'chunked' }],
  ])('%s', async (_case, headers) => {
    expect(await declare(path, headers)).toEqual({ status: 401, body: { code: 401, error: 'Unauthorized.' } })
  })

  it('of the management API with a wrong token', async () => {
    const headers = { ...json, ...size, authorization: 'Bearer wrong' }
    expect((await declare('/admin/apps', headers)).status).toBe(401)
  })

  it('at an unknown path', async () => {
    expect((await declare('/1.1/nothing', { ...json, ...size })).status).toBe(404)
  })

  it('that is compressed', async () => {
    const body = brotliCompressSync(JSON.stringify({ text: 'x'.repeat(1000) }))
    const headers = { ...named, 'x-lc-key': app.appKey, 'content-encoding': 'br' }
    const answer = await fetch(`${app.url}${path}`, { method: 'POST', headers, body })
    expect(answer.status).toBe(415)
    expect(await answer.json()).toEqual({ code: 1, error: expect.stringContaining('Content-Encoding') })
  })

  it('with its key inside, above 1 MB', async () => {
    const tunnel = { 'content-type': 'text/plain' }
    const body = { _ApplicationId: app.appId, _ApplicationKey: app.appKey, text: 'x'.repeat(MEGABYTE) }
    expect((await declare(path, { ...tunnel, 'content-length': String(2 * MEGABYTE) })).status).toBe(413)
    expect((await declare(path, { ...tunnel, 'transfer-encoding': 'chunked' })).status).toBe(411)
    const proved = { ...tunnel, 'x-lc-id': app.appId, 'x-lc-key': app.appKey }
    expect((await call(app.url, 'POST', path, proved, body)).status).toBe(201)
    const smaller = { ...body, text: 'x'.repeat(MEGABYTE / 2) }
    expect((await call(app.url, 'POST', path, tunnel, smaller)).status).toBe(201)
  })
})

describe('rejects bodies that are expensive to parse', () => {
  const lists = (count: number) => `{"a":[${Array(count).fill('[]').join(',')}]}`
  const send = async (headers: Record<string, string>, body: string, path = '/1.1/classes/Dear') => {
    const answer = await fetch(`${app.url}${path}`, { method: 'POST', headers, body })
    return { status: answer.status, ...((await answer.json()) as { code?: number; error?: string }) }
  }
  const tooMany = (count: number) => ({ status: 400, code: 107, error: expect.stringContaining(`${count} values`) })

  it('with limits by authentication', async () => {
    const [key, master] = [app.appKey, `${app.masterKey},master`]
    expect(await send({ ...named, 'x-lc-key': key }, lists(80_000))).toEqual(tooMany(150_000))
    expect((await send({ ...named, 'x-lc-key': key }, lists(50_000))).status).toBe(201)
    expect((await send({ ...named, 'x-lc-key': master }, lists(80_000))).status).toBe(201)
    expect(await send({ ...named, 'x-lc-key': master }, lists(160_000))).toEqual(tooMany(300_000))
  })

  it('for unauthenticated senders', async () => {
    const tunnel = { 'content-type': 'text/plain' }
    expect(await send(tunnel, lists(20_000))).toEqual(tooMany(20_000))
    expect(await send({ ...tunnel, authorization: 'Bearer x' }, lists(20_000))).toEqual(tooMany(20_000))
    expect(await send({ ...tunnel, authorization: 'Bearer x' }, lists(20_000), '/admin/apps')).toEqual(tooMany(20_000))
  })

  it('in one field', async () => {
    const create = async (body: object) => send({ ...named, 'x-lc-key': app.appKey }, JSON.stringify(body))
    const keys = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`k${n}`, 1]))
    expect(await create(keys)).toMatchObject({ status: 400, code: 154, error: expect.stringContaining('500 keys') })
    const ops = Array(101).fill({ __op: 'Increment', amount: 1 })
    expect(await create({ n: { __op: 'Batch', ops } })).toMatchObject({ status: 400, code: 1 })
  })

  it('compares members of an array in the same time as other values', async () => {
    const objects = Array.from({ length: 20_000 }, (_, a) => ({ a }))
    const ops = [
      { __op: 'AddUnique', objects },
      { __op: 'Remove', objects: objects.slice(1) },
    ]
    const began = performance.now()
    const made = await app.request('POST', '/1.1/classes/Unique', { body: { list: { __op: 'Batch', ops } } })
    expect(made.status).toBe(201)
    // Pairwise comparison took more than 20 seconds.
    expect(performance.now() - began).toBeLessThan(8000)
    const read = await app.request('GET', `/1.1/classes/Unique/${made.body.objectId}`)
    expect(read.body.list).toEqual([{ a: 0 }])
  })
})

it('a byte order mark before JSON is skipped', async () => {
  for (const contentType of ['application/json', 'application/x-www-form-urlencoded', undefined]) {
    const headers = {
      'x-lc-id': app.appId,
      'x-lc-key': app.appKey,
      ...(contentType && { 'content-type': contentType }),
    }
    const body = Buffer.from('\ufeff{"text":"\ufeffa"}')
    const response = await fetch(`${app.url}/1.1/classes/Marked`, { method: 'POST', headers, body })
    expect(response.status).toBe(201)
    const { objectId } = (await response.json()) as { objectId: string }
    expect((await app.request('GET', `/1.1/classes/Marked/${objectId}`)).body.text).toBe('\ufeffa')
  }
})

describe('connections', () => {
  it.each([
    ['GET', '/1.1/nothing', undefined],
    ['POST', '/1.1/login', '{"username":"nobody"}'],
  ])('stay open after a %s that fails', async (method, path, body) => {
    const { hostname, port } = new URL(app.url)
    const socket = net.connect(Number(port), hostname)
    const length = body ? `content-length: ${body.length}\r\n` : ''
    const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\n${length}`
    socket.write(`${head}\r\n${body ?? ''}${head}connection: close\r\n\r\n${body ?? ''}`)
    expect((await text(socket)).match(/HTTP\/1.1 4/g)).toHaveLength(2)
  })
})
