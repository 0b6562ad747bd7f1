import type { Caller } from '../objects/access/caller.ts'
import { pathOfKey } from './file-key.ts'
import type { FileSettings } from './file-settings.ts'

/**
 * Where a caller finds the bytes of a key: at the root of the app's own domain, else below the address at which the caller
 * reaches this server (protocol/files, Download).
 * @param elsewhere base URL for those who have asked for nothing themselves, such as cloud code that is told of a write
 */
export function fileUrl(
  { domain }: Pick<FileSettings, 'domain'>,
  appId: string,
  key: string,
  { origin }: Caller,
  elsewhere: string,
): string {
  const path = pathOfKey(key)
  return domain === null ? `${origin?.baseUrl?.() ?? elsewhere}/files/${appId}/${path}` : `${domain}/${path}`
}
