import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import files from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownFile } from '../../own-files.ts'

/**
 * Directories where the build may have put the console: next to the compiled program in `dist`, as seen from there and
 * from `src`.
 */
const BUILD_FOLDERS = ['console', '../dist/console'].map((folder) => fileURLToPath(ownFile(folder)))

/**
 * Content security policy of the console: its pages run only their own scripts, load from and send to this server only,
 * and cannot be framed. Files on hosts for files are loaded by their path on this origin, and files on other hosts are
 * opened in a separate tab (`console/src/parts/remote-media.tsx`), so the policy names no host. Components set their
 * styles at run time.
 */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self'",
  "font-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SAFETY = {
  'content-security-policy': CONTENT_POLICY,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
} as const

/** Directory of built files whose names contain a hash of their content, so that they never change. */
const LASTING = /^assets(?:\/|$)/
/** Paths of files created by the build. No other path is looked up on the disk, whatever it decodes to. */
const FILE = /^(?:assets\/)?(?!\.)(?:[\w-]|\.(?!\.))+\.\w+$/

/** The response at `/console` when the console was not built. */
const NOT_BUILT = 'The console has not been built. `npm run build` builds it.\n'

/**
 * Serves the console's files, and its page at all its paths. Redirects browsers that request `/` to the console.
 * @param headers further headers of all its responses
 */
export async function serveConsole(http: FastifyInstance, headers: Readonly<Record<string, string>>): Promise<void> {
  const root = BUILD_FOLDERS.find((folder) => existsSync(join(folder, 'index.html')))
  await http.register(files, { root: root ?? BUILD_FOLDERS, serve: false, preCompressed: true, cacheControl: false })
  const serve = (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
    reply.headers({ ...SAFETY, ...headers })
    reply.removeHeader('access-control-allow-origin')
    if (root === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
    const file = request.params['*'] ?? ''
    // Paths of pages have no extension; the browser decides which page is shown.
    const isFile = FILE.test(file)
    const isLasting = LASTING.test(file)
    if (isLasting && !isFile) return reply.callNotFound()
    reply.header('cache-control', isLasting ? 'public, max-age=31536000, immutable' : 'no-cache')
    return reply.sendFile(isFile ? file : 'index.html')
  }
  // Like files: their bytes are already compressed, and a body is ignored.
  const options = { compress: false, config: { bytes: true } } as const
  http.get('/console', options, serve)
  http.get('/console/*', options, serve)
  http.get('/', options, (request, reply) => {
    if (!request.headers.accept?.includes('text/html')) return reply.callNotFound()
    return reply.redirect('/console/')
  })
}
