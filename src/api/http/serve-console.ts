import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import files from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownFile } from '../../own-files.ts'

/** Where the build puts the console: beside the compiled program, which stands in `dist`, as seen from there and from `src`. */
const PLACES = ['console', '../dist/console'].map((place) => fileURLToPath(ownFile(place)))

/**
 * What pages of the console may do. No script runs but its own files, no page elsewhere shows it in a frame, and it asks
 * this server alone. Pictures and sounds of users' files are on any host: those of other hosts are loaded after a click
 * (`console/src/parts/remote-media.tsx`), so the policy cannot leave them out. Components set their styles at run time.
 */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob: http: https:",
  "media-src 'self' http: https:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
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
