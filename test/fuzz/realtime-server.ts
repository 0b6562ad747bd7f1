import { afterAll, afterEach, expect } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { call } from '../support/app.ts'
import { isRunning, makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'

export interface FuzzedRealtimeServer {
  readonly url: string
  readonly appId: string
  /** Values that a client must never see. */
  readonly secrets: readonly string[]
  /**
   * Sends a request as the app's back end.
   * @returns the response body
   */
  ask(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  /** Counts the TCP connections of the process: clients, database and internal ones. */
  sockets(): Promise<number>
}

const APP_ID = 'fuzzed'
const APP_KEY = 'fuzzed-app-key'
const MASTER_KEY = 'fuzzed-master-key'
const ADMIN_TOKEN = 'fuzzed-administrator-token'

/** Starts a server on a separate database. After each test it must be healthy and have logged no fault. */
export async function startRealtimeServer(): Promise<FuzzedRealtimeServer> {
  const home = makeHome(afterAll)
  const program = await home.start(['--database-url', await newDatabase(), '--query-timeout', '10000'], {
    HOMEPORT_APP_ID: APP_ID,
    HOMEPORT_APP_KEY: APP_KEY,
    HOMEPORT_MASTER_KEY: MASTER_KEY,
    HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
  })
  afterEach(async () => {
    expect(isRunning(program)).toBe(true)
    const health = await fetch(`${program.url}/health`)
    expect(await health.json()).toEqual({ status: 'ok', version: VERSION, database: 'ok' })
    const faults = program.output().match(/^.*"level":"(warn|error|fatal)".*$/gm) ?? []
    expect(faults.slice(0, 20)).toEqual([])
  })
  const headers = { 'x-lc-id': APP_ID, 'x-lc-key': `${MASTER_KEY},master`, 'content-type': 'application/json' }
  return {
    url: program.url,
    appId: APP_ID,
    secrets: [APP_KEY, MASTER_KEY, ADMIN_TOKEN],
    async ask(method, path, body) {
      const answer = await call(program.url, method, path, headers, body)
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      return answer.body
    },
    async sockets() {
      const metrics = await (await fetch(`${program.url}/metrics`)).text()
      return Number(/^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)$/m.exec(metrics)?.[1])
    },
  }
}
