import { beforeEach, expect, inject } from 'vitest'
import { call, makeApp, type TestApp } from '../../../support/app.ts'
import { type Device, devicesOf, type IMClient } from '../../../support/realtime.ts'

/** The environment of a suite: a separate app on one or several servers. */
export interface SuiteEnvironment {
  readonly app: TestApp
  /** Returns a new device on each call, round robin over the servers, so that consecutive devices are on different servers. */
  readonly newDevice: (options?: Parameters<ReturnType<typeof devicesOf>>[0]) => Device
  /** Logs a client in on the next device. */
  readonly logIn: (id: string, options?: Parameters<Device['logIn']>[1]) => Promise<IMClient>
  /** Changes settings of the app, and waits until all servers apply them. */
  readonly configure: (settings: object) => Promise<void>
}

/** Returns a new app on the shared server. */
export async function oneServer(): Promise<SuiteEnvironment> {
  const app = await makeApp()
  return environmentOn(app, [app.url], inject('adminToken'))
}

/** Returns an app on the servers with these URLs. */
export function environmentOn(app: TestApp, urls: readonly string[], adminToken: string): SuiteEnvironment {
  const makers = urls.map((url) => devicesOf({ ...app, url }))
  let devices = 0
  // Clients logged in before all tests are on the first server; the first client of a test is on another one.
  beforeEach(() => {
    devices = 1
  })
  const newDevice: SuiteEnvironment['newDevice'] = (options) => makers[devices++ % makers.length]!(options)
  return {
    app,
    newDevice,
    logIn: (id, options) => newDevice().logIn(id, options),
    async configure(settings) {
      const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
      for (const url of urls) {
        const { status } = await call(url, 'PATCH', `/admin/apps/${app.appId}/settings`, headers, settings)
        expect(status).toBe(200)
      }
    },
  }
}
