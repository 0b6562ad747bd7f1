import { isActiveType } from '../active-type.ts'
import { typeAndSubtype } from '../mime-type.ts'

/** Maximum bytes that stores accept in one request and copy in one request. */
const MAX_DIRECT_BYTES = 5 * 1024 ** 3

/** Types for which browsers inspect the bytes and may detect a page (WHATWG MIME Sniffing, "unknown MIME type"). */
const SNIFFED = new Set(['unknown/unknown', 'application/unknown'])

/**
 * Returns whether a client may upload a file directly to the store. Until the sweep, the bucket holds the client's object under
 * its own type and without the headers that prevent files from running (`content-headers.ts`). A public bucket, or one behind a
 * CDN, would then serve a page of the client's. So files that a browser could run must pass through this server.
 * @param mimeType normalized
 * @param size bytes
 */
export function mayPutDirectly(mimeType: string, size: number): boolean {
  const essence = typeAndSubtype(mimeType)
  const isPage = isActiveType(essence) || /^image\/.*xml$/.test(essence) || SNIFFED.has(essence)
  return !isPage && size <= MAX_DIRECT_BYTES
}
