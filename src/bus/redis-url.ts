/** The address and credentials of Redis. */
export interface RedisAddress {
  /** One server, or some nodes of a cluster, which report the others. */
  readonly servers: readonly { readonly host: string; readonly port: number }[]
  readonly username: string | undefined
  readonly password: string | undefined
  /** The number of the database; a cluster has only 0. */
  readonly database: number
  readonly tls: boolean
}

const PARTS = /^(rediss?):\/\/(?:(.*)@)?([^@/?#]+)(?:\/(\d{0,4}))?$/
const DEFAULT_PORT = 6379

export function isRedisUrl(text: string): boolean {
  return parse(text) !== null
}

/**
 * Parses `redis://user:password@host:6379/0`; `rediss:` is Redis over TLS. Several hosts, separated by commas, are
 * nodes of a cluster.
 * @throws Error for an invalid URL, without its text, which may contain a password
 */
export function redisAddress(url: string): RedisAddress {
  const address = parse(url)
  if (!address) throw new Error('The Redis URL must have the form redis://host:6379 or redis://host1:6379,host2:6379.')
  return address
}

function parse(text: string): RedisAddress | null {
  const [, protocol, credentials, hosts, path] = PARTS.exec(text) ?? []
  if (!hosts) return null
  // URLs have one host only, so each host is parsed with the common parts.
  const urls = hosts
    .split(',')
    .map((host) => `${protocol}://${credentials === undefined ? '' : `${credentials}@`}${host}`)
  if (!urls.every((url) => URL.canParse(url))) return null
  const servers = urls.map((url) => {
    const { hostname, port } = new URL(url)
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) }
  })
  const database = Number(path ?? 0)
  if (servers.some(({ host }) => host === '') || (servers.length > 1 && database !== 0)) return null
  const { username, password } = new URL(urls[0]!)
  try {
    return {
      servers,
      username: decodeURIComponent(username) || undefined,
      password: decodeURIComponent(password) || undefined,
      database,
      tls: protocol === 'rediss',
    }
  } catch {
    // An invalid percent encoding.
    return null
  }
}
