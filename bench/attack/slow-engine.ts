import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Cleanup } from '../cleanup.ts'

/** Milliseconds until a function responds. */
const DELAY = 15_000

/**
 * Starts slow cloud code.
 * @returns its URL
 */
export async function startSlowEngine(cleanup: Cleanup): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    const answer = (body: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    if (request.url?.includes('_ops/metadatas')) answer({ result: ['slow'] })
    else if (request.url?.includes('ping')) answer({ runtime: 'node', version: '1' })
    else setTimeout(() => answer({ result: 'late' }), DELAY).unref()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanup.add(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
