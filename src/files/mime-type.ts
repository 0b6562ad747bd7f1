import { parse } from 'content-type'
import mime from 'mime'

export const DEFAULT_MIME_TYPE = 'application/octet-stream'

/** The form of a type, for error messages. */
export const MIME_TYPE_RULE = "must be a media type such as 'image/png' or 'text/plain; charset=utf-8'"

const MAX_LENGTH = 200

/** The usual form, which needs no parsing. */
const BARE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/

/** Returns the type that the extension of a name stands for; null for an unknown extension. */
export function typeOfName(name: string): string | null {
  return mime.getType(name)
}

/** Bytes from the beginning of a file that are enough to recognize its type. */
export const TELLING_BYTES = 4100

/** Recognizes a type by the first bytes of a file; null where they match no known type. */
export async function typeOfBytes(beginning: Uint8Array): Promise<string | null> {
  // Most files say it by their names: the library is loaded when one does not.
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(beginning).catch(() => undefined)
  return found ? normalizeMimeType(found.mime) : null
}

/**
 * Returns a type in the only form in which types are stored, compared and sent: `type/subtype` in lower case, with the charset
 * where one is given. Other parameters are dropped. Browsers read a header otherwise than RFC 9110 does (they split it at
 * commas), so no text of a client is sent unparsed.
 * @returns null for what is no media type, and for a charset that browsers do not know
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
export function essenceOf(mimeType: string): string {
  const end = mimeType.indexOf(';')
  return end < 0 ? mimeType : mimeType.slice(0, end)
}

/** Whether a normalized type is among the allowed ones; an empty list allows all. */
export function isAllowedType(mimeType: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true
  const essence = essenceOf(mimeType)
  return allowed.some((one) => {
    const wanted = one.toLowerCase()
    return wanted.endsWith('/*') ? essence.startsWith(wanted.slice(0, -1)) : essence === wanted
  })
}
