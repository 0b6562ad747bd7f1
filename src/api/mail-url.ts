import { networkInterfaces } from 'node:os'
import type { Server } from './server-context.ts'

/**
 * Where links in mails lead: the configured public URL. Without one, the host that the request names counts only if it is
 * this machine itself, as while trying things out: anybody can name another host, and would be sent the secret in a link
 * that somebody else asked for.
 */
export function mailUrlOf(server: Pick<Server, 'publicUrl' | 'localUrl'>, protocol: string, host: string): string {
  if (server.publicUrl !== null) return server.publicUrl
  return isThisMachine(hostName(host)) ? `${protocol}://${host}` : server.localUrl()
}

function hostName(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '') : ''
}

function isThisMachine(name: string): boolean {
  if (name === 'localhost') return true
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === name))
}
