import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.ts'
import { residentMemory } from '../server-usage.ts'
import { Crowd } from './crowd.ts'
import type { MessagingOptions } from './options.ts'
import type { MessagingServer } from './server.ts'

/**
 * Clients that come and go before it begins, so that code and caches that exist once are there. Few: the memory that more
 * of them left free would hide what the others take.
 */
const EARLIER = 50

/** Resident memory of the server process in bytes. */
export interface ConnectionFigures {
  readonly connections: number
  readonly before: number
  readonly after: number
  /** Logins per second, handshakes included. */
  readonly logins: number
}

/**
 * Measures what the server keeps for a client that is logged in and says nothing. It is given time before memory is read:
 * what a login leaves behind is collected when a process has had nothing to do for some seconds.
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

/** Bytes of one connection. */
export function memoryOfConnection({ connections, before, after }: ConnectionFigures): number {
  return (after - before) / connections
}
