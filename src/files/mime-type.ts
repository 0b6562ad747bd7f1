import { parse } from 'content-type'
import mime from 'mime'

export const DEFAULT_MIME_TYPE = 'application/octet-stream'

/** Describes the form of a media type, for error messages. */
export const MIME_TYPE_RULE = "must be a media type such as 'image/png' or 'text/plain; charset=utf-8'"

const MAX_LENGTH = 200

/** The usual form, which needs no parsing. */
const BARE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/

/** Returns the media type of a file name's extension; null for an unknown extension. */
export function typeOfName(name: string): string | null {
  return mime.getType(name)
}

/** Bytes at the beginning of a file that are enough to detect its type. */
export const SNIFFED_BYTES = 4100

/** Detects the media type of a file from its first bytes; null when no known type matches. */
export async function typeOfBytes(beginning: Uint8Array): Promise<string | null> {
  // Most file names have a known extension, so the library is loaded only when needed.
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(beginning).catch(() => undefined)
  return found ? normalizeMimeType(found.mime) : null
}

/**
 * Returns the normalized form in which media types are stored, compared and sent: `type/subtype` in lower case, with the charset
 * if present. Other parameters are dropped. Browsers parse the header differently from RFC 9110 (they split it at commas), so a
 * client's text is never sent unparsed.
 * @returns null for a malformed type or a charset that browsers do not know
 */
export function normalizeMimeType(text: string): string | null {
  if (text.length > MAX_LENGTH) return null
  if (BARE.test(text)) return text
  try {
    const { type, parameters } = parse(text.replace(/[;\s]+$/, ''))
    if (!BARE.test(type)) return null
    return parameters.charset === undefined ? type : `${type}; charset=${new TextDecoder(parameters.charset).encoding}`
  } catch {
    return null
  }
}

/** Returns `type/subtype` of a normalized type. */
export function typeAndSubtype(mimeType: string): string {
  const end = mimeType.indexOf(';')
  return end < 0 ? mimeType : mimeType.slice(0, end)
}

/** Returns whether a normalized type is allowed; an empty list allows all types. */
export function isAllowedType(mimeType: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true
  const essence = typeAndSubtype(mimeType)
  return allowed.some((one) => {
    const wanted = one.toLowerCase()
    return wanted.endsWith('/*') ? essence.startsWith(wanted.slice(0, -1)) : essence === wanted
  })
}
