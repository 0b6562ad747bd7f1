import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { call, makeApp } from '../../support/app.ts'
import { startOwnServer } from '../../support/own-server.ts'
import { CERTIFICATE } from '../../support/stand-in-certificate.ts'
import { asUsual, type PassOn, startTlsProxy } from '../../support/tls-proxy.ts'

const app = await makeApp()
const proxy = await startTlsProxy(app.url, afterAll)

const directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
afterAll(() => rmSync(directory, { recursive: true }))
const certificate = join(directory, 'certificate.pem')
writeFileSync(certificate, CERTIFICATE)

/** Requests JSON through a TLS proxy. */
async function ask(url: string, headers: Record<string, string> = {}) {
  const agent = new Agent({ ca: CERTIFICATE })
  const response = await new Promise<Parameters<typeof text>[0]>((resolve, reject) =>
    get(url, { agent, headers }, resolve).on('error', reject),
  )
  return JSON.parse(await text(response))
}

describe('behind a TLS proxy, without a public URL', () => {
  it('the official client connects and exchanges messages', async () => {
    const script = fileURLToPath(new URL('../../support/chat-over-tls.mjs', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [script, proxy, app.appId, app.appKey], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
    })
    expect(stdout).toBe('hello over TLS')
  })

  it.each([
    ['', 'wss'],
    ['&secure=1', 'wss'],
    ['&secure=true', 'wss'],
    ['&secure=0', 'ws'],
    ['&secure=false', 'ws'],
  ])('the router responds to %j with %s', async (secure, scheme) => {
    const { host } = new URL(proxy)
    const { server, secondary } = await ask(`${proxy}/v1/route?appId=${app.appId}${secure}`)
    expect([server, secondary]).toEqual([`${scheme}://${host}/`, `${scheme}://${host}/`])
  })

  it('the app router returns the public host', async () => {
    const { api_server, rtm_router_server } = await ask(`${proxy}/2/route?appId=${app.appId}`)
    expect([api_server, rtm_router_server]).toEqual([new URL(proxy).host, new URL(proxy).host])
  })

  it.each<[string, PassOn]>([
    ['X-Forwarded-Host', ({ host, ...rest }, address) => asUsual({ ...rest, host: 'inner:1' }, address)],
    ['Forwarded', (headers) => ({ ...headers, forwarded: `for=192.0.2.1;proto=https;host="${headers.host}"` })],
  ])('the proxy can report the public URL by %s', async (name, passOn) => {
    const own = await startTlsProxy(app.url, onTestFinished, (headers, address) => ({
      ...passOn(headers, address),
      ...(name === 'X-Forwarded-Host' && { 'x-forwarded-host': headers.host }),
    }))
    const { server } = await ask(`${own}/v1/route?appId=${app.appId}`)
    expect(server).toBe(`wss://${new URL(own).host}/`)
  })

  it("the client's request decides when the proxy reports no protocol", async () => {
    const quiet = await startTlsProxy(app.url, onTestFinished, (headers, address) => ({
      ...headers,
      'x-forwarded-for': address,
    }))
    const { host } = new URL(quiet)
    expect((await ask(`${quiet}/v1/route?secure=1`)).server).toBe(`wss://${host}/`)
    expect((await ask(`${quiet}/v1/route?secure=true`)).server).toBe(`wss://${host}/`)
    expect((await ask(`${quiet}/v1/route`)).server).toBe(`ws://${host}/`)
  })

  it('an invalid host does not appear in the response', async () => {
    for (const host of ['user@evil.example', 'evil.example/path', 'e'.repeat(300)]) {
      const { body } = await call(app.url, 'GET', '/v1/route', { 'x-forwarded-host': host }, undefined)
      expect(body.server).toBe(`ws://${new URL(app.url).host}/`)
    }
  })
})

const own = await startOwnServer(['--trusted-proxies', '192.0.2.0/24'])

it('ignores headers of an untrusted proxy', async () => {
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '192.0.2.1' }
  const { body } = await call(own.url, 'GET', '/v1/route?secure=1', headers, undefined)
  expect(body.server).toBe(`ws://${new URL(own.url).host}/`)
})
