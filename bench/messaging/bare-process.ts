import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type ServerProcess, startServer } from '../server-process.ts'

/** Starts one of the servers with bare `ws` that Homeport is measured beside, in a process of its own. */
export function startBare(name: 'broadcaster' | 'relay'): Promise<ServerProcess> {
  const args = [fileURLToPath(new URL(`./${name}-server.js`, import.meta.url))]
  return startServer({ args, directory: tmpdir(), environment: {}, ready: /ready at (\S+)/ })
}
