/**
 * Names, IPv4 and IPv6 addresses, with a port. Browsers also accept hosts with quotes and `$`, which would be executed in SDK
 * code.
 */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/** Returns the origin of a server address; null when it is invalid, or contains more than an origin. */
export function serverOrigin(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const { origin, host, pathname, search, hash, username, password } = new URL(text)
  const isOrigin = /^\/*$/.test(pathname) && search + hash + username + password === ''
  return isOrigin && HOST.test(host) ? origin : null
}
