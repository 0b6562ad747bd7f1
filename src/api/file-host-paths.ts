import type { IncomingMessage } from 'node:http'
import type { Server } from './server-context.ts'

/** A path at which nothing is served. */
const NOTHING = '/not-served-on-this-host'

/**
 * Returns the function that rewrites the URL of a request by the host it was sent to: on a host for files nothing but files is
 * served, and on the host of one app a path is the key of a file (protocol/files, Download).
 */
export function fileHostPaths({
  apps,
  asSent,
  filesPublicUrl,
}: Pick<Server, 'apps' | 'asSent' | 'filesPublicUrl'>): (request: IncomingMessage) => string {
  const filesHost = hostOf(filesPublicUrl)
  return (request) => {
    const url = request.url!
    // Preflights name no app, and are answered alike everywhere.
    if (request.method === 'OPTIONS') return url
    const host = () => asSent(request).host?.toLowerCase() ?? null
    const appId = apps.ofFileHost(host)
    if (appId !== undefined) return `/files/${appId}${url.startsWith('/') ? url : NOTHING}`
    return filesHost !== null && host() === filesHost && !url.startsWith('/files/') ? NOTHING : url
  }
}

/** Whether a request was sent to a host that serves files and nothing else: the app's own, or that of all apps. */
export function isFileHost(
  { apps, filesPublicUrl }: Pick<Server, 'apps' | 'filesPublicUrl'>,
  appId: string,
  host: string | null,
): boolean {
  if (host === null) return false
  return hostOf(filesPublicUrl) === host.toLowerCase() || apps.ofFileHost(() => host) === appId
}

/** @param origin such as `https://files.example.org`, as the configuration has it; every download asks for its host */
function hostOf(origin: string | null): string | null {
  return origin === null ? null : origin.slice(origin.indexOf('//') + 2)
}
