import type pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'

/** Where one of the servers of a database listens; what is left out is PostgreSQL's default. */
export interface ServerAddress {
  readonly host: string | undefined
  readonly port: number | undefined
}

/** How to connect to a database: what holds for all of its servers, and where they are. */
export interface DatabaseSettings {
  readonly config: pg.ClientConfig
  /** At least one, in the order of the address. */
  readonly servers: readonly ServerAddress[]
}

/** What is before the hosts of a URL, the hosts, and what is behind them. */
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** The values of PostgreSQL's `target_session_attrs` that can lead to a server that takes writes, as ours has to. */
const SESSIONS = new Set(['any', 'read-write', 'primary'])

/**
 * Reads a URL of PostgreSQL, as libpq takes it, with one host or several: `postgres://u:p@host1:5432,host2:5433/db`, or
 * `postgres:///db?host=host1,host2&port=5432,5433`.
 * @throws Error that says what is wrong with it, without any part of it: a URL holds a password
 */
export function parseDatabaseUrl(url: string): DatabaseSettings {
  const [, before, hosts = '', behind] = URL_PARTS.exec(url) ?? []
  if (before === undefined) throw new Error('it does not begin with postgres:// or postgresql://')
  const configs = hosts.split(',').map((host) => parsePlainUrl(`${before}${host}${behind}`))
  const { host: _host, port: _port, target_session_attrs: sessions = 'any', ...config } = configs[0]!
  if (!SESSIONS.has(String(sessions))) throw new Error(`target_session_attrs must be ${[...SESSIONS].join(' or ')}`)
  return { config, servers: serversOfQuery(url) ?? configs.map(({ host, port }) => addressOf(host, port)) }
}

/** A pool's or a client's settings, in which a URL may stand, in the form of this file. */
export function databaseSettings({ connectionString, ...given }: pg.ClientConfig): DatabaseSettings {
  if (connectionString !== undefined) {
    const { config, servers } = parseDatabaseUrl(connectionString)
    return { config: { ...given, ...config }, servers }
  }
  const { host, port, ...config } = given
  return { config, servers: [{ host, port }] }
}

function parsePlainUrl(url: string): pg.ClientConfig & { target_session_attrs?: unknown } {
  try {
    return parseIntoClientConfig(url)
  } catch (error) {
    // Files that the URL names are read; their names are no secret.
    if ((error as NodeJS.ErrnoException).syscall) throw error
    throw new Error('it is no URL')
  }
}

/** `host` and `port` of the query, which win over what stands in front of the path; null when there is no such host. */
function serversOfQuery(url: string): ServerAddress[] | null {
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
  const hosts = query.get('host')?.split(',')
  if (!hosts) return null
  const ports = query.get('port')?.split(',') ?? []
  if (ports.length > 1 && ports.length !== hosts.length) throw new Error('it has not as many ports as hosts')
  return hosts.map((host, index) => addressOf(host, Number(ports[index] ?? ports[0]) || undefined))
}

function addressOf(host: string | undefined, port: number | undefined): ServerAddress {
  return { host: host || undefined, port }
}
