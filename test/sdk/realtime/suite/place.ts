import { beforeEach, expect, inject } from 'vitest'
import { call, makeApp, type TestApp } from '../../../support/app.ts'
import { type Device, devicesOf, type IMClient } from '../../../support/realtime.ts'

/** Where a suite runs: an app that it has for itself, on one server or on several. */
export interface Place {
  readonly app: TestApp
  /** A device for each call, on the servers in turn: of two that follow each other, each is on another one. */
  readonly newDevice: (options?: Parameters<ReturnType<typeof devicesOf>>[0]) => Device
  /** Logs a client in on the next device. */
  readonly logIn: (id: string, options?: Parameters<Device['logIn']>[1]) => Promise<IMClient>
  /** Changes settings of the app; then all servers go by them. */
  readonly configure: (settings: object) => Promise<void>
}

/** The server that all tests share, with an app of its own. */
export async function oneServer(): Promise<Place> {
  const app = await makeApp()
  return placeOn(app, [app.url], inject('adminToken'))
}

/** An app on the servers that have these addresses. */
export function placeOn(app: TestApp, urls: readonly string[], adminToken: string): Place {
  const makers = urls.map((url) => devicesOf({ ...app, url }))
  let devices = 0
  // Who was logged in before all tests is on the first server; whoever comes first in a test is on another one.
  beforeEach(() => {
    devices = 1
  })
  const newDevice: Place['newDevice'] = (options) => makers[devices++ % makers.length]!(options)
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
