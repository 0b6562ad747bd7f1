import { describe, expect, it, onTestFinished } from 'vitest'
import { makeApp, type TestApp } from '../../support/app.ts'
import { type Device, devicesOf } from '../../support/realtime.ts'
import { startTlsProxy } from '../../support/tls-proxy.ts'
import type { Environment, Work } from './environment.ts'
import { CONNECTION_CASES } from './realtime-connection.ts'
import { CONVERSATION_CASES } from './realtime-conversations.ts'
import { MESSAGE_CASES } from './realtime-messages.ts'
import type { RealtimeVersion } from './realtime-versions.ts'
import { makeTools } from './tools.ts'

/** The environment of a case. */
interface Outside {
  readonly app: TestApp
  /** The newest version, on another device. */
  readonly device: Device
  /** Resolves when the client has created a conversation `<clientId> listens`: being online does not mean that it listens yet. */
  untilListening(clientId: string): Promise<void>
}

/** A case of leancloud-realtime on an app, with the expected result. `sdk.realtime` is its connection. */
export interface RealtimeCase {
  readonly name: string
  /** The first major version that supports it; defaults to 3. */
  readonly since?: 4 | 5
  readonly run: Work
  readonly meanwhile?: (outside: Outside) => Promise<void>
  readonly expected: unknown
}

const CASES = [...CONVERSATION_CASES, ...MESSAGE_CASES, ...CONNECTION_CASES]
const { until } = makeTools()

/** Declares the cases of a version as tests, on a separate app, in the place where it runs. */
export async function testRealtime(
  { version, major, init }: RealtimeVersion,
  where: string,
  atEnd: (end: () => Promise<void>) => void,
  open: () => Environment | Promise<Environment>,
): Promise<void> {
  const app = await makeApp()
  const { url, appId, appKey } = app
  const environment = await open()
  await environment.run(init, { url, appId, appKey, safeUrl: await startTlsProxy(url, atEnd) })
  describe(`leancloud-realtime ${version} ${where}`, () => {
    const cases = CASES.filter(({ since = 3 }) => since <= major).map((one) => [one.name, one] as const)
    it.each(cases)('%s', async (_, { run, meanwhile, expected }) => {
      const [result] = await Promise.all([environment.run(run, {}), meanwhile?.(outsideOf(app))])
      expect(result).toEqual(expected)
    })
  })
}

function outsideOf(app: TestApp): Outside {
  return {
    app,
    device: devicesOf(app, onTestFinished)(),
    untilListening: async (clientId) => {
      const query = { where: JSON.stringify({ name: `${clientId} listens` }) }
      const made = async () =>
        (await app.request('GET', '/1.2/rtm/conversations', { master: true, query })).body.results as object[]
      await until(made, ({ length }) => length > 0)
    },
  }
}
