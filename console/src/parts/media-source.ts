/** The server of a URL: `here`: this server, or its file hosts; `nowhere`: browsers must not load it. */
export type MediaSource =
  | { readonly from: 'here' }
  | { readonly from: 'nowhere' }
  | { readonly from: 'elsewhere' /** With its port. */; readonly host: string }

/**
 * Returns which server has the target of a URL in stored data. On the console's own origin only files are loaded or linked: any
 * other path could be part of the management API, or a link that logs the administrator in under another name.
 * @param origin the console's own
 * @param fileUrls base URLs of files on this server's other hosts, each with its trailing slash
 */
export function mediaSource(url: unknown, origin: string, fileUrls: readonly string[]): MediaSource {
  if (typeof url !== 'string' || !URL.canParse(url)) return { from: 'nowhere' }
  const { protocol, host, pathname, origin: target } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return { from: 'nowhere' }
  const own = new URL(origin)
  // The same host with another scheme is the same server behind a proxy, or after an upgrade to HTTPS.
  if (host === own.host || (protocol !== own.protocol && new URL(url).hostname === own.hostname)) {
    if (!isBelowFiles(pathname)) return { from: 'nowhere' }
    if (host === own.host) return { from: 'here' }
  }
  const isOwn = fileUrls.some((base) => {
    const { origin: known, pathname: root } = new URL(base)
    return target === known && (root === '/' || pathname.startsWith(root)) && !hasEncodedSteps(pathname)
  })
  return isOwn ? { from: 'here' } : { from: 'elsewhere', host }
}

/**
 * Returns the path on the console's own origin for a file URL of this server: the console's content policy allows only images
 * and audio of its own origin, and the server serves each file there too.
 * @param url one whose media source is `here`
 * @param fileUrls as in `mediaSource`; the URL of the app's file domain has the app's files at its root
 */
export function ownPathOf(url: string, appId: string, fileUrls: readonly string[]): string {
  const { origin, pathname, search } = new URL(url)
  const isAppHost = fileUrls.some((base) => new URL(base).origin === origin && new URL(base).pathname === '/')
  return (isAppHost ? `/files/${encodeURIComponent(appId)}` : '') + pathname + search
}

function isBelowFiles(pathname: string): boolean {
  return pathname.startsWith('/files/') && !hasEncodedSteps(pathname)
}

/** Returns whether a path has encoded segments that browsers do not resolve but a proxy may. */
function hasEncodedSteps(pathname: string): boolean {
  return /%2f|%5c/i.test(pathname) && /\.\./.test(pathname.replace(/%2e/gi, '.'))
}
