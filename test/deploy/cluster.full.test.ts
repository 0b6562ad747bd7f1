import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startCaddyOfCluster } from '../../scripts/smoke/start-proxies.mjs'
import { findProgram } from '../support/find-program.ts'
import { freePort } from '../support/free-port.ts'
import { makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'

const caddy = findProgram('HOMEPORT_TEST_CADDY', ['caddy'], ['/usr/bin/caddy'])
if (caddy === null) console.warn('Tests behind caddy are skipped: it was not found (Debian: apt-get install caddy).')

const HEADERS = { 'x-lc-id': 'cluster', 'x-lc-key': 'cluster-key', 'content-type': 'application/json' }
const VARIABLES = {
  HOMEPORT_APP_ID: 'cluster',
  HOMEPORT_APP_KEY: 'cluster-key',
  HOMEPORT_MASTER_KEY: 'cluster-master-key',
  // The default of the product, which tests shorten otherwise.
  HOMEPORT_SHUTDOWN_DELAY: '3000',
}
const CLIENTS = 4

test.skipIf(caddy === null)('no request fails while the servers behind Caddy restart one after the other', async () => {
  const databaseUrl = await newDatabase()
  const home = () => makeHome(onTestFinished)
  const nodes = [
    { port: await freePort(), home: home() },
    { port: await freePort(), home: home() },
  ]
  const start = ({ port, home }: (typeof nodes)[number]) =>
    home.start(['--port', String(port), '--database-url', databaseUrl], VARIABLES)
  const [first, second] = [await start(nodes[0]!), await start(nodes[1]!)]
  const directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const proxy = await startCaddyOfCluster(caddy!, directory, [new URL(first.url).host, new URL(second.url).host])
  onTestFinished(() => proxy.stop())
  const agent = new Agent({ ca: readFileSync(proxy.authority), keepAlive: true })
  onTestFinished(() => agent.destroy())

  const statuses = new Map<string, number>()
  let done = false
  const client = async () => {
    while (!done) {
      const status = await post(`${proxy.url}/1.1/classes/Cluster`, agent)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, client))
  for (const [node, running] of [
    [nodes[0]!, first],
    [nodes[1]!, second],
  ] as const) {
    expect(await running.stop()).toBe(0)
    const restarted = await start(node)
    // An administrator waits until the proxy has noticed that the server is back.
    await expect.poll(() => servedBy(restarted.url)).toBeGreaterThan(20)
    expect(restarted.url).toBe(running.url)
  }
  done = true
  await clients
  expect([...statuses.keys()]).toEqual(['201'])
})

/** Returns how many objects were created through a server since its start. */
async function servedBy(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = /^homeport_http_request_duration_seconds_count\{class="writes"\} (\d+)$/m.exec(text)
  return Number(line?.[1] ?? 0)
}

/** Creates an object. @returns the status, with the response if it is an error */
function post(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', agent, headers: HEADERS }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => {
        const { statusCode, headers } = response
        resolve(statusCode === 201 ? '201' : `${statusCode} ${headers.via ?? ''} ${text.slice(0, 200)}`)
      })
    })
    sent.on('error', (error) => resolve(String(error)))
    sent.end('{"n":1}')
  })
}
