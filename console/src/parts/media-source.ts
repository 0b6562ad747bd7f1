/** From where a browser would load something: `here`: this server and its hosts for files; `nowhere`: it must not. */
export type MediaSource =
  | { readonly from: 'here' | 'nowhere' }
  | { readonly from: 'elsewhere' /** With its port. */; readonly host: string }

/**
 * Returns from where a browser would load a URL of stored data. On the console's own origin nothing but files is loaded:
 * every other path could be one of the management API, which the browser would call with the administrator's session.
 * @param origin the console's own
 * @param fileUrls base URLs of files on this server's other hosts, each with its trailing slash
 */
export function mediaSource(url: unknown, origin: string, fileUrls: readonly string[]): MediaSource {
  if (typeof url !== 'string' || !URL.canParse(url)) return { from: 'nowhere' }
  const { protocol, host, pathname, origin: target } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return { from: 'nowhere' }
  const own = new URL(origin)
  // The same host with another scheme is the same server behind a proxy, or becomes it by an upgrade to HTTPS.
  if (host === own.host || (protocol !== own.protocol && new URL(url).hostname === own.hostname)) {
    if (!isBelowFiles(pathname)) return { from: 'nowhere' }
    if (target === own.origin) return { from: 'here' }
  }
  const isOwn = fileUrls.some((base) => {
    const { origin: known, pathname: root } = new URL(base)
    return target === known && (root === '/' || pathname.startsWith(root)) && !hasEncodedSteps(pathname)
  })
  return isOwn ? { from: 'here' } : { from: 'elsewhere', host }
}

function isBelowFiles(pathname: string): boolean {
  return pathname.startsWith('/files/') && !hasEncodedSteps(pathname)
}

/** Whether a path has steps that the URL parser of the browser has not resolved and that a proxy may resolve. */
function hasEncodedSteps(pathname: string): boolean {
  return /%2f|%5c/i.test(pathname) && /\.\./.test(pathname.replace(/%2e/gi, '.'))
}
