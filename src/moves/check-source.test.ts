import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { checkSource, sourceFault } from './check-source.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const answering =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)

it.each<[what: string, listener: RequestListener, verdict: string]>([
  ['an API', answering(200, '{"Post":{}}'), 'ok'],
  ['wrong keys', answering(401, '{"code":401,"error":"Unauthorized."}'), 'refused'],
  ['an app that does not exist', answering(404, '{"code":404,"error":"Not found."}'), 'notAnApi'],
  ['a web page', answering(200, '<!doctype html>'), 'notAnApi'],
  ['a page that is not there', answering(404, '<h1>Not Found</h1>'), 'notAnApi'],
  ['a page that is closed', answering(403, 'Forbidden'), 'notAnApi'],
  ['a list', answering(200, '[]'), 'notAnApi'],
  ['a redirect', answering(301, '', { location: 'https://there.example' }), 'redirect'],
  ['a gateway without its server', answering(502, '<h1>Bad Gateway</h1>'), 'failing'],
  ['an API that fails', answering(500, '{"code":1,"error":"Internal server error."}'), 'failing'],
  ['an API that limits the rate', answering(429, '{"code":429,"error":"Too many requests."}'), 'failing'],
])('reports the kind of source: %s', async (_, listener, verdict) => {
  expect(await checkSource(await serve(listener), 'app', 'key')).toMatchObject({ verdict })
})

it('requests the schemas with the keys of the app, whether or not the address ends with a slash', async () => {
  const requests: unknown[] = []
  const url = await serve(({ url: path, headers }, response) => {
    requests.push([path, headers['x-lc-id'], headers['x-lc-key']])
    response.end('{}')
  })
  await checkSource(`${url}/`, 'app', 'key')
  await checkSource(url, 'app', 'key')
  expect(requests).toEqual(Array(2).fill(['/1.1/schemas', 'app', 'key,master']))
})

it('distinguishes a closed port, an unknown host and a server without HTTP', async () => {
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  expect(await checkSource(`http://127.0.0.1:${port}`, 'app', 'key')).toEqual({
    verdict: 'unreachable',
    reason: 'ECONNREFUSED',
  })
  expect(await checkSource('http://nowhere.invalid', 'app', 'key')).toMatchObject({ verdict: 'unknownHost' })
  // A server without TLS at an https URL.
  const plain = await serve(answering(200, '{}'))
  expect(await checkSource(plain.replace('http:', 'https:'), 'app', 'key')).toMatchObject({ verdict: 'unreachable' })
})

it('gives up on a source that accepts the connection and does not respond within five seconds', async () => {
  const silent = createTcpServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as AddressInfo
  const started = performance.now()
  const check = await checkSource(`http://127.0.0.1:${port}`, 'app', 'key')
  expect(check.verdict).toBe('timeout')
  expect(performance.now() - started).toBeLessThan(5000)
  expect(sourceFault('http://there.example', check)).toContain('4 seconds')
})

it('keeps keys out of the verdict', async () => {
  const url = await serve(answering(401, '{"error":"The key secret-key is wrong."}'))
  const check = await checkSource(url, 'app', 'secret-key')
  expect(JSON.stringify(check) + sourceFault(url, check)).not.toContain('secret-key')
})
