import type { Caller } from '../objects/access/caller.ts'
import { pathOfKey } from './file-key.ts'

/** Hosts that serve only files. */
export interface FileHosts {
  /** Base URL of the app's own host (`files.domain`), which serves its files at the root; null: none */
  readonly domain: string | null
  /** Base URL for the files of all apps (`--files-public-url`); null: none */
  readonly filesPublicUrl: string | null
}

/**
 * Returns the URL of a file: on the app's own host, else on the host for files, else below the address at which the caller
 * reaches this server (protocol/files, Download).
 * @param external base URL for callers without a request, such as calls from cloud code
 */
export function fileUrl(hosts: FileHosts, appId: string, key: string, { origin }: Caller, external: string): string {
  const base = fileBase(hosts, appId) ?? belowServer(origin?.baseUrl?.() ?? external, appId)
  return `${base}/${pathOfKey(key)}`
}

/** Returns the base URL of an app's files if it is the same for every caller, else null. */
export function fileBase({ domain, filesPublicUrl }: FileHosts, appId: string): string | null {
  return domain ?? (filesPublicUrl === null ? null : belowServer(filesPublicUrl, appId))
}

/**
 * Returns the base URL of an app's files on a server.
 * @param url base URL of the server, without a trailing slash
 */
export function belowServer(url: string, appId: string): string {
  return `${url}/files/${appId}`
}
