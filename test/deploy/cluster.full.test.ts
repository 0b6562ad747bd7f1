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

  const statuses = new Map<number, number>()
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
    const before = statuses.get(201) ?? 0
    await expect.poll(() => (statuses.get(201) ?? 0) - before).toBeGreaterThan(20)
    expect(restarted.url).toBe(running.url)
  }
  done = true
  await clients
  expect([...statuses.keys()]).toEqual([201])
})

/** Creates an object. @returns the status; 0 when the connection fails */
function post(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', agent, headers: HEADERS }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', () => resolve(0))
    sent.end('{"n":1}')
  })
}
