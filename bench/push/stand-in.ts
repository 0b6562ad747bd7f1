import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../cleanup.ts'
import { startServer } from '../server-process.ts'
import type { ProviderName } from './options.ts'

/** The messages received by a provider. */
export interface Counts {
  /** Devices that received messages. */
  readonly devices: number
  readonly requests: number
  /** Devices that received several messages, because the first delivery was not recorded. */
  readonly handedTwice: number
  /** Devices that would show more than one message. */
  readonly shownTwice: number
}

/** A provider in a separate process. */
export interface StandIn {
  readonly pid: number
  /** The push settings of an app for this provider. */
  readonly settings: object
  /** Returns the number of devices that received messages so far. */
  devices(): Promise<number>
  counts(): Promise<Counts>
  /** Clears the received messages. */
  forget(): Promise<void>
}

export async function startStandIn(provider: ProviderName, cleanup: Cleanup): Promise<StandIn> {
  const main = fileURLToPath(new URL('./stand-in-main.js', import.meta.url))
  const command = { args: [main, provider], directory: process.cwd(), environment: {}, ready: /ready at (\S+)/ }
  const { url, pid } = await cleanup.keep(startServer(command), (server) => server.stop())
  const request = async <Answer>(path: string) => (await (await fetch(url + path)).json()) as Answer
  return {
    pid,
    settings: await request<object>('/settings'),
    devices: () => request<number>('/devices'),
    counts: () => request<Counts>('/counts'),
    forget: () => request('/forget'),
  }
}
