import { create as contentDisposition } from 'content-disposition'
import type { StoredFile } from '../../files/stored-files.ts'

/** Seconds for which everybody may keep a file: one key has other bytes only where the master key has chosen it. */
const YEAR = 31_536_000

/** What a browser shows and runs nothing of. All else is saved on the host of the API: pages, and what pages can be in. */
const HARMLESS =
  /^((image|audio|video|font)\/(?!.*xml)[\w.+-]+|text\/(plain|csv|markdown)|application\/(json|pdf))(;|$)/i

/** What a page could load as a script of its own origin, whatever is said about showing it. */
const SCRIPT = /^(text|application)\/(x-)?(javascript|ecmascript)\b/i

/** Readers for PDF that come with browsers do not start in a sandbox, and give scripts in it no rights. */
const PDF = /^application\/pdf\s*(;|$)/i

/** Nothing runs, nothing is loaded, and what is shown is of no origin. */
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
 * The headers of a file. What people have uploaded never gets the rights of the origin that serves it: browsers take it for
 * what its type says, in a sandbox, and what could be a page is saved rather than shown where the origin is that of the API.
 * @param isOwnHost it is asked for on the app's own host (`files.domain`)
 */
export function contentHeaders(
  { name, mimeType, md5, blob, storedAt }: Pick<StoredFile, 'name' | 'mimeType' | 'md5' | 'blob' | 'storedAt'>,
  { attname, download }: DownloadWishes,
  isOwnHost: boolean,
): Record<string, string> {
  const isSaved = download || attname !== null || (!HARMLESS.test(mimeType) && !isOwnHost)
  return {
    'content-type': SCRIPT.test(mimeType) ? 'text/plain; charset=utf-8' : withCharset(mimeType),
    'content-disposition': contentDisposition(shownName(attname || name), { type: isSaved ? 'attachment' : 'inline' }),
    'cache-control': `public, max-age=${YEAR}`,
    // Some stores do not know the checksum of what clients have put there; a blob never changes either.
    etag: `"${md5 || blob}"`,
    'last-modified': storedAt.toUTCString(),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    ...(!PDF.test(mimeType) && { 'content-security-policy': SANDBOX }),
  }
}

/** Without what lets a name look like another one: `exe.png` may be written from right to left. */
function shownName(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '_')
}

/** Texts without a word about it are UTF-8: browsers would guess. */
function withCharset(mimeType: string): string {
  return /^text\/[^;]+$/i.test(mimeType) ? `${mimeType}; charset=utf-8` : mimeType
}
