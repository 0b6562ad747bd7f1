import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../cleanup.ts'
import { startServer } from '../server-process.ts'
import type { ProviderName } from './options.ts'

/** What a provider was handed. */
export interface Counts {
  /** Devices that were sent to. */
  readonly devices: number
  readonly requests: number
  /** Devices that were sent to more than once, because nobody knew of the first time. */
  readonly handedTwice: number
  /** Devices that would show more than one message. */
  readonly shownTwice: number
}

/** A provider in a process of its own. */
export interface StandIn {
  readonly pid: number
  /** Settings of an app's pushes that lead to it. */
  readonly settings: object
  /** How many devices were sent to so far. */
  devices(): Promise<number>
  counts(): Promise<Counts>
  /** Forgets what it was handed. */
  forget(): Promise<void>
}

export async function startStandIn(provider: ProviderName, cleanup: Cleanup): Promise<StandIn> {
  const main = fileURLToPath(new URL('./stand-in-main.js', import.meta.url))
  const command = { args: [main, provider], directory: process.cwd(), environment: {}, ready: /ready at (\S+)/ }
  const { url, pid } = await cleanup.keep(startServer(command), (server) => server.stop())
  const ask = async <Answer>(path: string) => (await (await fetch(url + path)).json()) as Answer
  return {
    pid,
    settings: await ask<object>('/settings'),
    devices: () => ask<number>('/devices'),
    counts: () => ask<Counts>('/counts'),
    forget: () => ask('/forget'),
  }
}
