import { networkInterfaces } from 'node:os'
import type { SentRequest } from '../proxies.ts'
import type { Server } from './server-context.ts'

type MailUrlServer = Pick<Server, 'publicUrl' | 'localUrl' | 'log'>

/** Servers that have already logged the missing public URL; once is enough. */
const warned = new WeakSet<MailUrlServer>()

/**
 * Returns the base URL of links in mails: the configured public URL. Without one, the host in the request is used only
 * if it is this machine with the server's port, as during local development. A caller can name any host or port, and a
 * program there would receive the secret of a link that another person follows.
 */
export function mailUrlOf(server: MailUrlServer, { protocol, host }: Pick<SentRequest, 'protocol' | 'host'>): string {
  if (server.publicUrl !== null) return server.publicUrl
  const named = host === null ? null : new URL(`${protocol ?? 'http'}://${host}`)
  const url = server.localUrl()
  if (named && isThisMachine(named.hostname) && portOf(named) === portOf(new URL(url))) return named.origin
  warnOnce(server, url)
  return url
}

function isThisMachine(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '')
  if (name === 'localhost') return true
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === name))
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}

function warnOnce(server: MailUrlServer, url: string): void {
  if (warned.has(server)) return
  warned.add(server)
  server.log.warn({ url }, 'mail links use the Host header, set --public-url')
}
