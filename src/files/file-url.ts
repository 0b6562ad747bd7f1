import type { Caller } from '../objects/access/caller.ts'
import { pathOfKey } from './file-key.ts'

/** Hosts that serve files and nothing else. */
export interface FileHosts {
  /** Base URL of the app's own (`files.domain`), which has the app's files at its root; null: none */
  readonly domain: string | null
  /** Base URL for the files of all apps (`--files-public-url`); null: none */
  readonly filesPublicUrl: string | null
}

/**
 * Returns the URL of a file: on the app's own host, else on the host for files, else below the address at which the caller
 * reaches this server (protocol/files, Download).
 * @param elsewhere base URL where no caller sent a request, such as in calls of cloud code
 */
export function fileUrl(hosts: FileHosts, appId: string, key: string, { origin }: Caller, elsewhere: string): string {
  const base = fileBase(hosts, appId) ?? belowServer(origin?.baseUrl?.() ?? elsewhere, appId)
  return `${base}/${pathOfKey(key)}`
}

/** Returns the base URL of an app's files where it is the same for every caller; null where it is not. */
export function fileBase({ domain, filesPublicUrl }: FileHosts, appId: string): string | null {
  return domain ?? (filesPublicUrl === null ? null : belowServer(filesPublicUrl, appId))
}

/** @param url base URL of the server, without a trailing slash */
export function belowServer(url: string, appId: string): string {
  return `${url}/files/${appId}`
}
