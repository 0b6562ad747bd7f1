import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as Storage from 'leancloud-storage'
import type { TestApp } from './app.ts'

const load = createRequire(import.meta.url)

/** The published official client with live queries, on a separate device. */
export type LiveSdk = typeof Storage

/** Loads the client again, so that it shares neither connection nor subscription with another one. */
export function loadLiveSdk(app: Pick<TestApp, 'appId' | 'appKey' | 'url'>): LiveSdk {
  for (const file of Object.keys(load.cache))
    if (/[\\/]node_modules[\\/]leancloud-(storage|realtime)/.test(file)) delete load.cache[file]
  const sdk: LiveSdk = load('leancloud-storage/live-query')
  sdk.init({ appId: app.appId, appKey: app.appKey, serverURL: app.url })
  // On a device each program has a separate store; here all share one, including the subscriber's id and the user.
  const inside = sdk as LiveSdk & { _subscriptionId: string; User: { _currentUserMatchesDisk: boolean } }
  inside._subscriptionId = `device-${randomUUID()}`
  inside.User._currentUserMatchesDisk = true
  return sdk
}

/** An event of a live query. */
export interface ReceivedEvent {
  readonly op: string
  readonly id: string | undefined
  readonly fields: Record<string, unknown>
  readonly updatedKeys: readonly string[] | undefined
}

const OPERATIONS = ['create', 'update', 'enter', 'leave', 'delete', 'login'] as const

/** Records the events of a live query, in order. */
export function listen(liveQuery: Storage.LiveQuery<Storage.Queriable>): ReceivedEvent[] {
  const received: ReceivedEvent[] = []
  for (const op of OPERATIONS) {
    const listener = (object?: Storage.Queriable, updatedKeys?: string[]) =>
      received.push({ op, id: (object as Storage.Object).id, fields: (object as Storage.Object).toJSON(), updatedKeys })
    liveQuery.on(op as 'create', listener as (object?: Storage.Queriable) => void)
  }
  return received
}
