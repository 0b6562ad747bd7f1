import type { IncomingMessage } from 'node:http'
import type { Server } from './server-context.ts'

/** A path that serves nothing. */
const NOTHING = '/not-served-on-this-host'

/**
 * Returns the function that rewrites the URL of a request by its host: a host for files serves only files, and on the
 * host of one app the path is the key of a file (protocol/files, Download).
 */
export function fileHostPaths({
  apps,
  asSent,
  filesPublicUrl,
}: Pick<Server, 'apps' | 'asSent' | 'filesPublicUrl'>): (request: IncomingMessage) => string {
  const filesHost = hostOf(filesPublicUrl)
  return (request) => {
    const url = request.url!
    // Preflights name no app, and have the same response on all hosts.
    if (request.method === 'OPTIONS') return url
    const host = () => asSent(request).host?.toLowerCase() ?? null
    const appId = apps.ofFileHost(host)
    if (appId !== undefined) return `/files/${appId}${url.startsWith('/') ? url : NOTHING}`
    return filesHost !== null && host() === filesHost && !url.startsWith('/files/') ? NOTHING : url
  }
}

/** Returns whether a request was sent to a host that serves only files: the app's own, or the one of all apps. */
export function isFileHost(
  { apps, filesPublicUrl }: Pick<Server, 'apps' | 'filesPublicUrl'>,
  appId: string,
  host: string | null,
): boolean {
  if (host === null) return false
  return hostOf(filesPublicUrl) === host.toLowerCase() || apps.ofFileHost(() => host) === appId
}

/** @param origin such as `https://files.example.org` from the configuration; called for every download */
function hostOf(origin: string | null): string | null {
  return origin === null ? null : origin.slice(origin.indexOf('//') + 2)
}
