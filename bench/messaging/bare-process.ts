import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type ServerProcess, startServer } from '../server-process.ts'

/** Starts one of the bare `ws` servers that Homeport is compared with, in a separate process. */
export function startBare(name: 'broadcaster' | 'relay'): Promise<ServerProcess> {
  const args = [fileURLToPath(new URL(`./${name}-server.js`, import.meta.url))]
  return startServer({ args, directory: tmpdir(), environment: {}, ready: /ready at (\S+)/ })
}
