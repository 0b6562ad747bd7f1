import type pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'

/** Address of one server of a database; omitted parts have PostgreSQL's defaults. */
export interface ServerAddress {
  readonly host: string | undefined
  readonly port: number | undefined
}

/** How to connect to a database: the settings common to all of its servers, and their addresses. */
export interface DatabaseSettings {
  readonly config: pg.ClientConfig
  /** At least one, in the order of the URL. */
  readonly servers: readonly ServerAddress[]
}

/** The parts of a URL before the hosts, the hosts, and the rest. */
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** The values of PostgreSQL's `target_session_attrs` that can lead to a server that accepts writes. */
const SESSIONS = new Set(['any', 'read-write', 'primary'])

/**
 * Parses a PostgreSQL URL as libpq does, with one or several hosts: `postgres://u:p@host1:5432,host2:5433/db`, or
 * `postgres:///db?host=host1,host2&port=5432,5433`.
 * @throws Error that says what is wrong without quoting the URL, because it holds a password
 */
export function parseDatabaseUrl(url: string): DatabaseSettings {
  const [, before, hosts = '', after] = URL_PARTS.exec(url) ?? []
  if (before === undefined) throw new Error('it must begin with postgres:// or postgresql://')
  const configs = hosts.split(',').map((host) => parsePlainUrl(`${before}${host}${after}`))
  const { host: _host, port: _port, target_session_attrs: sessions = 'any', ...config } = configs[0]!
  if (!SESSIONS.has(String(sessions))) throw new Error(`target_session_attrs must be ${[...SESSIONS].join(' or ')}`)
  return { config, servers: serversOfQuery(url) ?? configs.map(({ host, port }) => addressOf(host, port)) }
}

/** Converts the settings of a pool or client, possibly with a URL, to the form of this file. */
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
    // The parser reads files named in the URL; their names are not secret.
    if ((error as NodeJS.ErrnoException).syscall) throw error
    throw new Error('it is not a URL')
  }
}

/**
 * Returns the servers named by `host` and `port` of the query, which override those before the path; null if the query has no
 * `host`.
 */
function serversOfQuery(url: string): ServerAddress[] | null {
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
  const hosts = query.get('host')?.split(',')
  if (!hosts) return null
  const ports = query.get('port')?.split(',') ?? []
  if (ports.length > 1 && ports.length !== hosts.length) throw new Error('it must have as many ports as hosts')
  return hosts.map((host, index) => addressOf(host, Number(ports[index] ?? ports[0]) || undefined))
}

function addressOf(host: string | undefined, port: number | undefined): ServerAddress {
  return { host: host || undefined, port }
}
