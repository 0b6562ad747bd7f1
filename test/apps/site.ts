import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
}

/** Pages by path; a path that ends with a slash can serve the files of a folder. */
export type SiteContent = Readonly<Record<string, { readonly page: string } | { readonly folder: string }>>

/**
 * Serves pages on a port of this machine, which browsers treat as another origin than the server.
 * @param atEnd vitest's `afterAll` or `onTestFinished`, which stops it
 * @returns its URL, without a trailing slash
 */
export async function startSite(content: SiteContent, atEnd: (end: () => Promise<void>) => void): Promise<string> {
  const server = createServer((request, response) => {
    const path = decodeURI(new URL(request.url!, 'http://site').pathname)
    const found = find(content, path)
    response.writeHead(found ? 200 : 404, { 'content-type': found?.type ?? 'text/plain' })
    response.end(found?.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function find(content: SiteContent, path: string): { body: string | Buffer; type: string } | null {
  for (const [prefix, entry] of Object.entries(content)) {
    if ('page' in entry) {
      if (path === prefix) return { body: entry.page, type: TYPES['.html']! }
    } else if (path.startsWith(prefix)) {
      const requested = join(entry.folder, normalize(path.slice(prefix.length)))
      const file =
        existsSync(requested) && statSync(requested).isDirectory() ? join(requested, 'index.html') : requested
      if (existsSync(file))
        return { body: readFileSync(file), type: TYPES[extname(file)] ?? 'application/octet-stream' }
    }
  }
  return null
}
