import mime from 'mime'

export const DEFAULT_MIME_TYPE = 'application/octet-stream'

const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[\x20-\x7e]*)?$/

/** What a name says by its ending; null where it says nothing. */
export function typeOfName(name: string): string | null {
  return mime.getType(name)
}

/** Bytes from the beginning of a file that say what it is. */
export const TELLING_BYTES = 4100

/** What the first bytes of a file say; null where they say nothing. */
export async function typeOfBytes(beginning: Uint8Array): Promise<string | null> {
  // Most files say it by their names: the library is loaded when one does not.
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(beginning).catch(() => undefined)
  return found?.mime ?? null
}

/** Whether a text can be a Content-Type. */
export function isMimeType(text: string): boolean {
  return text.length <= 200 && TYPE.test(text)
}

/** Whether a type is among those that are allowed; none allows all. */
export function isAllowedType(type: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true
  const bare = type.split(';')[0]!.trim().toLowerCase()
  return allowed.some((one) => {
    const wanted = one.toLowerCase()
    return wanted.endsWith('/*') ? bare.startsWith(wanted.slice(0, -1)) : bare === wanted
  })
}
