import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.ts'
import { residentMemory } from '../server-usage.ts'
import { Crowd } from './crowd.ts'
import type { MessagingOptions } from './options.ts'
import type { MessagingServer } from './server.ts'

/**
 * Clients that connect and leave first, so that shared code and caches are loaded. Few, because memory they free would hide the
 * memory of later ones.
 */
const EARLIER = 50

/** Resident memory of the server process in bytes. */
export interface ConnectionFigures {
  readonly connections: number
  readonly before: number
  readonly after: number
  /** Logins per second, including handshakes. */
  readonly logins: number
}

/**
 * Measures the server's memory per idle logged in client. It waits before reading memory, because garbage of a login is
 * collected when a process has been idle for some seconds.
 */
export async function measureConnections(
  server: MessagingServer,
  { connections, pause }: MessagingOptions,
  cleanup: Cleanup,
): Promise<ConnectionFigures> {
  const { url, appId, pid } = server
  const gather = (name: string, count: number) => Crowd.gather({ kind: 'idle', url, appId, name, connections: count })
  process.stderr.write(`connections: ${EARLIER} come and go\n`)
  await (await gather('earlier', EARLIER)).disperse()
  await sleep(pause * 1000)
  const before = residentMemory(pid)
  process.stderr.write(`connections: ${connections} log in\n`)
  const began = performance.now()
  await cleanup.keep(gather('client', connections), (crowd) => crowd.disperse())
  const elapsed = performance.now() - began
  await sleep(pause * 1000)
  return { connections, before, after: residentMemory(pid), logins: (connections * 1000) / elapsed }
}

/** Returns the bytes per connection. */
export function memoryOfConnection({ connections, before, after }: ConnectionFigures): number {
  return (after - before) / connections
}
