import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ephemeral ports of the system. */
const LOWEST = 10_000
/** Each worker that runs test files concurrently has separate ports. */
const WORKERS = 16
const PORTS_OF_A_WORKER = 600

/**
 * Returns an unused port of this machine, for a server in a separate process that starts on it later or repeatedly. The system
 * assigns the port to no other server or connection meanwhile. The port 10 000 above it, used by Redis cluster nodes, is
 * reserved too.
 */
export async function freePort(): Promise<number> {
  const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS
  for (;;) {
    const port = LOWEST + worker * PORTS_OF_A_WORKER + randomInt(PORTS_OF_A_WORKER)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
