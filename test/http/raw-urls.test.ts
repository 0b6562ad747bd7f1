import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { json, standInEngine } from '../support/stand-in-engine.ts'

const app = await makeApp()
await app.request('POST', '/1.1/classes/Post', { body: { name: '中文', n: 1 } })
await app.request('POST', '/1.1/classes/Post', { body: { name: 'other', n: 2 } })

/** Sends a request line unchanged. */
async function send(line: string | Buffer, body = ''): Promise<{ status: number; body: unknown }> {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  const headers = [
    `Host: ${hostname}`,
    `X-LC-Id: ${app.appId}`,
    `X-LC-Key: ${app.masterKey},master`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.write(Buffer.concat([Buffer.from(line), Buffer.from(` HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`)]))
  const answer = await text(socket)
  return { status: Number(answer.slice(9, 12)), body: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) }
}

describe('unescaped UTF-8 in a URL', () => {
  it('works in a condition', async () => {
    const { status, body } = await send('GET /1.1/classes/Post?where={"name":"中文"}&keys=n')
    expect({ status, body }).toMatchObject({ status: 200, body: { results: [{ n: 1 }] } })
  })

  it('works beside escaped text', async () => {
    const { body } = await send('GET /1.1/classes/Post?where={"name":"中%E6%96%87"}&keys=n')
    expect(body).toMatchObject({ results: [{ n: 1 }] })
  })

  it('works in a CQL statement', async () => {
    const { body } = await send("GET /1.1/cloudQuery?cql=select%20n%20from%20Post%20where%20name='中文'")
    expect(body).toMatchObject({ results: [{ n: 1 }] })
  })

  it('works in a messaging client id', async () => {
    expect(await send('GET /1.2/rtm/clients/小明/messages')).toEqual({ status: 200, body: [] })
  })

  it('works in a function name', async () => {
    const engine = await standInEngine()
    engine.functions.set('你好', json({ result: '世界' }))
    await app.admin('PATCH', '/settings', { engine: { production: engine.url } })
    expect(await send('POST /1.1/functions/你好', '{}')).toEqual({ status: 200, body: { result: '世界' } })
  })
})

describe('is rejected with the valid form', () => {
  it.each([
    ['GBK', Buffer.from('GET /1.1/classes/Post?where={"name":"\xd6\xd0"}', 'latin1'), 'Percent-encode it as UTF-8'],
    ['a blank', 'GET /1.1/classes/Post?where={"name": "中文"}', '%20'],
  ])('%s', async (_what, line, advice) => {
    expect(await send(line)).toMatchObject({ status: 400, body: { code: 1, error: expect.stringContaining(advice) } })
  })
})
