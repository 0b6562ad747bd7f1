import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems hand out by themselves. */
const LOWEST = 10_000
/** Each of the workers that run test files at the same time has ports of its own. */
const WORKERS = 16
const PORTS_OF_A_WORKER = 600

/**
 * A port of this machine that nobody listens at, for a server in a process of its own that is started on it later, or
 * again. The system gives it to nobody else meanwhile, neither to a server nor to a connection. The port 10 000 above it,
 * which the node of a Redis cluster takes too, is none of these either.
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
