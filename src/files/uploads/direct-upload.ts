import { isActiveType } from '../active-type.ts'
import { essenceOf } from '../mime-type.ts'

/** Bytes that stores take in one request, and copy by one. */
const MAX_DIRECT_BYTES = 5 * 1024 ** 3

/** Types for which browsers look at the bytes and may take them for a page (WHATWG MIME Sniffing, "unknown MIME type"). */
const SNIFFED = new Set(['unknown/unknown', 'application/unknown'])

/**
 * Whether a client may put a file into the store itself. Until the sweep the bucket holds what it has put there, under its type and
 * without the headers that keep files from running (`content-headers.ts`): a bucket that is public, or behind a CDN, would serve a
 * page of the client's. So what a browser could run passes through this server.
 * @param mimeType normalized
 * @param size bytes
 */
export function mayPutDirectly(mimeType: string, size: number): boolean {
  const essence = essenceOf(mimeType)
  const isPage = isActiveType(essence) || /^image\/.*xml$/.test(essence) || SNIFFED.has(essence)
  return !isPage && size <= MAX_DIRECT_BYTES
}
