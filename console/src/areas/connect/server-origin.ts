/** Names, IPv4 and IPv6 addresses, with a port. Browsers also take hosts with quotes and `$`, which code of an SDK would run. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/** Returns the origin that an address of a server names; null where it is none, or says more than that. */
export function serverOrigin(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const { origin, host, pathname, search, hash, username, password } = new URL(text)
  const isOrigin = /^\/*$/.test(pathname) && search + hash + username + password === ''
  return isOrigin && HOST.test(host) ? origin : null
}
