import { create as contentDisposition } from 'content-disposition'
import { isActiveType, isScriptType } from '../../files/active-type.ts'
import { downloadName } from '../../files/download-name.ts'
import { DEFAULT_MIME_TYPE, typeAndSubtype } from '../../files/mime-type.ts'
import type { StoredFile } from '../../files/stored-files.ts'

/** Seconds for which any cache may keep a file: the bytes of a key only change if the master key chose the key. */
const YEAR = 31_536_000

/** Types that browsers display without running code. On a host that also serves the console, all other types are downloaded. */
const PASSIVE =
  /^(image\/(?!.*xml)[\w.+-]+|(audio|video|font)\/(?!.*xml)[\w.+-]+|text\/(plain|csv|markdown)|application\/json)$/

/** Nothing runs, nothing is loaded, and the content has a separate origin. */
const SANDBOX = "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self' data:; style-src 'unsafe-inline'"

/** Options of a download in its URL. */
export interface DownloadWishes {
  /** The name of the saved file; null: none */
  readonly attname: string | null
  /** Save the file instead of displaying it. */
  readonly download: boolean
}

/** Reads `?attname=…` and `?download`, as supported by CDNs of the hosted service (protocol/files, Download). */
export function wishesOf(search: string): DownloadWishes {
  const query = new URLSearchParams(search)
  const attname = query.get('attname')
  return { attname: attname === null ? null : attname.slice(0, 300).toWellFormed(), download: query.has('download') }
}

/**
 * Returns the headers of a file. Files of users never get the permissions of the origin that serves them: they are
 * sandboxed. If that origin also serves the console, files that a page could run, load or be are downloaded, under a
 * type that no page can load. On a host for files only, pages are displayed, sandboxed, and PDFs are displayed by the
 * browser's viewer, which does not work in a sandbox and gives scripts no permissions.
 * @param isFileHost the request was sent to a host that serves only files (`files.domain`, `--files-public-url`)
 */
export function contentHeaders(
  { name, mimeType, md5, blob, storedAt }: Pick<StoredFile, 'name' | 'mimeType' | 'md5' | 'blob' | 'storedAt'>,
  { attname, download }: DownloadWishes,
  isFileHost: boolean,
): Record<string, string> {
  const essence = typeAndSubtype(mimeType)
  const isSaved = download || attname !== null || (!PASSIVE.test(essence) && !isFileHost)
  return {
    'content-type': shownType(mimeType, essence, isFileHost),
    'content-disposition': contentDisposition(downloadName(attname || name), {
      type: isSaved ? 'attachment' : 'inline',
    }),
    'cache-control': `public, max-age=${YEAR}`,
    // Some stores have no checksum of files uploaded directly by clients; a blob never changes either.
    etag: `"${md5 || blob}"`,
    'last-modified': storedAt.toUTCString(),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    ...(!(isFileHost && essence === 'application/pdf') && { 'content-security-policy': SANDBOX }),
  }
}

/** @param mimeType normalized */
function shownType(mimeType: string, essence: string, isFileHost: boolean): string {
  if (!isFileHost && isActiveType(essence)) return DEFAULT_MIME_TYPE
  const shown = isScriptType(essence) ? 'text/plain' : mimeType
  // Browsers would guess the charset.
  return shown.startsWith('text/') && !shown.includes(';') ? `${shown}; charset=utf-8` : shown
}
