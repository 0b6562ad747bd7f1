import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import type * as Sdk from 'leancloud-realtime'
import { afterAll, vi } from 'vitest'
import type { TestApp } from './app.ts'

export type IMClient = Awaited<ReturnType<Sdk.Realtime['createIMClient']>>
export type Conversation = Awaited<ReturnType<IMClient['createConversation']>> & Sdk.Conversation
type Where = Pick<TestApp, 'appId' | 'appKey' | 'url'>
type LogInOptions = Parameters<Sdk.Realtime['createIMClient']>[1]

/** The official client on a separate device: one connection, on which several clients can log in. */
export interface Device {
  /** The published package. Its classes belong to this device. */
  readonly sdk: typeof Sdk
  readonly realtime: Sdk.Realtime
  /** Accepts an id, a user, or null for an anonymous client. */
  logIn(who: Parameters<Sdk.Realtime['createIMClient']>[0] | null, options?: LogInOptions): Promise<IMClient>
}

const load = createRequire(import.meta.url)
const PACKAGE = load.resolve('leancloud-realtime')

/** Creates devices for an app. Their clients log out at `atEnd` (`afterAll` or `onTestFinished`). */
export function devicesOf(app: Where, atEnd: (end: () => Promise<void>) => void = afterAll) {
  const clients: IMClient[] = []
  // The package logs a warning for concurrent identical queries.
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined)
  atEnd(async () => {
    await Promise.allSettled(clients.map((client) => client.close()))
    warn.mockRestore()
  })
  return (options: Partial<ConstructorParameters<typeof Sdk.Realtime>[0]> = {}): Device => {
    // The package allows one connection per app; a reloaded copy is independent.
    delete load.cache[PACKAGE]
    const sdk: typeof Sdk = load(PACKAGE)
    const realtime = new sdk.Realtime({ appId: app.appId, appKey: app.appKey, server: app.url, ...options })
    return {
      sdk,
      realtime,
      logIn: async (who, logInOptions) => {
        const client = await realtime.createIMClient(who as string, logInOptions)
        clients.push(client)
        return client
      },
    }
  }
}

type Emitter = Pick<EventEmitter, 'on' | 'off'>

/** Resolves with the arguments of the next matching event. */
export function nextEvent<Arguments extends readonly unknown[] = readonly never[]>(
  emitter: object,
  name: string,
  fits: (...args: Arguments) => boolean = () => true,
): Promise<Arguments> {
  const source = emitter as Emitter
  return new Promise((resolve) => {
    const listener = (...args: readonly unknown[]) => {
      if (!fits(...(args as Arguments))) return
      source.off(name, listener)
      resolve(args as Arguments)
    }
    source.on(name, listener)
  })
}
