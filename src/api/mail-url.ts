import { networkInterfaces } from 'node:os'
import type { SentRequest } from '../proxies.ts'
import type { Server } from './server-context.ts'

type MailUrlServer = Pick<Server, 'publicUrl' | 'localUrl' | 'log'>

/** Servers whose log says already that they need a public URL: once is enough. */
const warned = new WeakSet<MailUrlServer>()

/**
 * Where links in mails lead: the configured public URL. Without one, the host that the request names counts only if it is
 * this machine itself, as while trying things out: anybody can name another host, and would be sent the secret in a link
 * that somebody else asked for.
 */
export function mailUrlOf(server: MailUrlServer, { protocol, host }: Pick<SentRequest, 'protocol' | 'host'>): string {
  if (server.publicUrl !== null) return server.publicUrl
  const named = host === null ? null : new URL(`${protocol ?? 'http'}://${host}`)
  if (named && isThisMachine(named.hostname)) return named.origin
  const url = server.localUrl()
  warnOnce(server, url)
  return url
}

function isThisMachine(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '')
  if (name === 'localhost') return true
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === name))
}

function warnOnce(server: MailUrlServer, url: string): void {
  if (warned.has(server)) return
  warned.add(server)
  server.log.warn({}, `links in mails point to ${url}; set --public-url`)
}
