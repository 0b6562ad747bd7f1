import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import files from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownFile } from '../../own-files.ts'

/** Where the build puts the console: beside the compiled program, which stands in `dist`, as seen from there and from `src`. */
const PLACES = ['console', '../dist/console'].map((place) => fileURLToPath(ownFile(place)))

/**
 * What pages of the console may do: run their own scripts, and load from and send to this server. No other page shows them in a
 * frame. Files of hosts for files are loaded by their path on this origin, and files of all other hosts are opened in a tab
 * of their own (`console/src/parts/remote-media.tsx`), so the policy names no host. Components set their styles at run time.
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

/** Where the build puts files that have names made of their content, and never change therefore. */
const LASTING = /^assets(?:\/|$)/
/** Paths of files that the build makes. No other path is looked up on the disk, whatever it decodes to. */
const FILE = /^(?:assets\/)?(?!\.)(?:[\w-]|\.(?!\.))+\.\w+$/

/** What stands at `/console` where nobody has built it. */
const NOT_BUILT = 'The console has not been built. `npm run build` builds it.\n'

/** Serves the console's files, and its page at all its paths. A browser that asks for `/` is led there. */
export async function serveConsole(http: FastifyInstance): Promise<void> {
  const root = PLACES.find((place) => existsSync(join(place, 'index.html')))
  await http.register(files, { root: root ?? PLACES, serve: false, preCompressed: true, cacheControl: false })
  const serve = (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
    reply.headers(SAFETY)
    reply.removeHeader('access-control-allow-origin')
    if (root === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
    const file = request.params['*'] ?? ''
    // Pages have no extension: which of them is shown is decided in the browser.
    const isFile = FILE.test(file)
    const isLasting = LASTING.test(file)
    if (isLasting && !isFile) return reply.callNotFound()
    reply.header('cache-control', isLasting ? 'public, max-age=31536000, immutable' : 'no-cache')
    return reply.sendFile(isFile ? file : 'index.html')
  }
  // As files: their bytes are compressed already, and a body is of no interest.
  const options = { compress: false, config: { bytes: true } } as const
  http.get('/console', options, serve)
  http.get('/console/*', options, serve)
  http.get('/', options, (request, reply) => {
    if (!request.headers.accept?.includes('text/html')) return reply.callNotFound()
    return reply.redirect('/console/')
  })
}
