import { create as contentDisposition } from 'content-disposition'
import { isActiveType, isScriptType } from '../../files/active-type.ts'
import { downloadName } from '../../files/download-name.ts'
import { DEFAULT_MIME_TYPE, essenceOf } from '../../files/mime-type.ts'
import type { StoredFile } from '../../files/stored-files.ts'

/** Seconds for which everybody may keep a file: one key has other bytes only where the master key has chosen it. */
const YEAR = 31_536_000

/** Types that a browser shows without running anything. All others are saved where the host serves the console too. */
const PASSIVE =
  /^(image\/(?!.*xml)[\w.+-]+|(audio|video|font)\/(?!.*xml)[\w.+-]+|text\/(plain|csv|markdown)|application\/json)$/

/** Nothing runs, nothing is loaded, and what is shown has an origin of its own. */
const SANDBOX = "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self' data:; style-src 'unsafe-inline'"

/** What the URL of a download asks for besides the bytes. */
export interface DownloadWishes {
  /** A name to be saved under; null: none */
  readonly attname: string | null
  /** Not to be shown but saved. */
  readonly download: boolean
}

/** `?attname=…` and `?download`, as CDNs of the hosted service knew them (protocol/files, Download). */
export function wishesOf(search: string): DownloadWishes {
  const query = new URLSearchParams(search)
  const attname = query.get('attname')
  return { attname: attname === null ? null : attname.slice(0, 300).toWellFormed(), download: query.has('download') }
}

/**
 * Returns the headers of a file. Files of users never get the rights of the origin that serves them: they are sandboxed, and
 * where that origin is also the console's, what a page could run, load or be is saved, under a type that no page can load.
 * On a host for files alone pages are shown, sandboxed, and PDFs are shown by the browser's reader, which does not work in a
 * sandbox and gives scripts no rights.
 * @param isFileHost the request was sent to a host that serves files alone (`files.domain`, `--files-public-url`)
 */
export function contentHeaders(
  { name, mimeType, md5, blob, storedAt }: Pick<StoredFile, 'name' | 'mimeType' | 'md5' | 'blob' | 'storedAt'>,
  { attname, download }: DownloadWishes,
  isFileHost: boolean,
): Record<string, string> {
  const essence = essenceOf(mimeType)
  const isSaved = download || attname !== null || (!PASSIVE.test(essence) && !isFileHost)
  return {
    'content-type': shownType(mimeType, essence, isFileHost),
    'content-disposition': contentDisposition(downloadName(attname || name), {
      type: isSaved ? 'attachment' : 'inline',
    }),
    'cache-control': `public, max-age=${YEAR}`,
    // Some stores do not know the checksum of what clients have put there; a blob never changes either.
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
