import { text } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { AppSettings } from './settings.ts'

interface FileApp {
  readonly id: string
  readonly settings: Pick<AppSettings, 'files'>
}

/**
 * Maps hosts to the apps whose files they serve (`files.domain`). A reserved host serves no app's files, even if rows
 * of earlier versions name it; a host in several such rows belongs to the oldest app.
 * @param reserved host names of the server itself, in lower case
 */
export function fileHosts(apps: Iterable<FileApp>, reserved: ReadonlySet<string>): Map<string, string> {
  const hosts = new Map<string, string>()
  for (const { id, settings } of apps) {
    if (settings.files.domain === null) continue
    const { host, hostname } = new URL(settings.files.domain)
    if (!reserved.has(hostname) && !hosts.has(host)) hosts.set(host, id)
  }
  return hosts
}

/** Returns the host name of a URL or of a `Host` header, without a port, in lower case; null for none. */
export function hostnameOf(hostAndPath: string | null): string | null {
  if (hostAndPath === null) return null
  const url = hostAndPath.includes('://') ? hostAndPath : `http://${hostAndPath}`
  return URL.canParse(url) ? new URL(url).hostname : null
}

/**
 * Checks that an app may claim a host for its files, and prevents other apps from claiming it until the transaction
 * ends.
 * @param domain the host as a URL
 * @throws ApiError 137 when the host belongs to the server itself or another app
 */
export async function claimFileHost(
  transaction: Executor,
  appId: string,
  domain: string,
  reserved: ReadonlySet<string>,
): Promise<void> {
  const { host, hostname } = new URL(domain)
  if (reserved.has(hostname))
    throw errors.duplicateValue(
      `'files.domain' must be a host of its own; '${hostname}' is already a host of this server.`,
    )
  await transaction.query(sql`SELECT pg_advisory_xact_lock(hashtextextended('file hosts', 0))`)
  const others = await transaction.query(sql`
    SELECT settings -> 'files' ->> 'domain' AS domain
    FROM homeport.apps
    WHERE id <> ${appId} AND settings -> 'files' ->> 'domain' IS NOT NULL`)
  if (others.map(text('domain')).some((other) => new URL(other).host === host))
    throw errors.duplicateValue(`'files.domain': the host '${host}' belongs to another app of this server.`)
}
