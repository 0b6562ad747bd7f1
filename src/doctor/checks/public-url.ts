import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { exchange } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, reasonOf, warning } from '../finding.ts'

const TIMEOUT_MS = 8000
const MAX_BYTES = 10_000
/** Reasons that the checks of certificates and of DNS report in detail. */
const REPORTED_ELSEWHERE = /CERT|SIGNATURE|TLS|SSL|ISSUER|ENOTFOUND/

/** Fetches the server through its public URL, and checks that the response is its own and that WebSocket connections pass. */
export async function checkPublicUrl({ config: { publicUrl: url }, server }: Examination): Promise<Finding[]> {
  if (url === null) return [warning('doctorPublicUrlNone')]
  const findings: Finding[] = url.startsWith('http:') ? [warning('doctorPublicUrlHttp', { url })] : []
  if (server === null) return [...findings, fine('doctorPublicUrlUnchecked', { url })]
  const nonce = randomBytes(16).toString('hex')
  try {
    const { status, identity } = await fetchIdentity(`${url}/health/identity?nonce=${nonce}`)
    if (identity !== (await server.identity.respond(nonce))) {
      const values = { url, status: String(status), local: server.localUrl }
      return [...findings, failure('doctorPublicUrlOther', values)]
    }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    if (REPORTED_ELSEWHERE.test(error.reason)) return findings
    const values = { url, reason: error.reason }
    // Behind some routers, clients reach the address although the server does not.
    const isDropped = error.kind === 'timeout'
    return [
      ...findings,
      isDropped ? warning('doctorPublicUrlUnreachable', values) : failure('doctorPublicUrlUnreachable', values),
    ]
  }
  const reason = await refusalOfWebSocket(url)
  const found =
    reason === null ? fine('doctorPublicUrl', { url }) : failure('doctorPublicUrlNoWebSocket', { url, reason })
  return [...findings, found]
}

async function fetchIdentity(url: string): Promise<{ readonly status: number; readonly identity: unknown }> {
  return exchange({ method: 'GET', url, timeout: TIMEOUT_MS, reach: 'any' }, async ({ status, text }) => {
    const body = await text(MAX_BYTES).catch((error: HttpFailure) => {
      // Another server sends more than this one would.
      if (error.kind === 'too-long') return ''
      throw error
    })
    return { status, identity: identityIn(body) }
  })
}

function identityIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { readonly identity?: unknown }).identity
  } catch {
    return undefined
  }
}

/** Opens a WebSocket as messaging clients do. @returns the reason of a failure; null when it was opened */
async function refusalOfWebSocket(url: string): Promise<string | null> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), 'lc.json.3', { handshakeTimeout: TIMEOUT_MS })
  try {
    await once(socket, 'open')
    return null
  } catch (error) {
    return reasonOf(error)
  } finally {
    // Terminating a socket that is not open emits an error.
    socket.on('error', () => {})
    socket.terminate()
  }
}
