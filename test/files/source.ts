import { createHash } from 'node:crypto'

/** Returns the byte at a position of any source: no two neighboring chunks are equal. */
const byteAt = (place: number) => (place * 31 + (place >> 8)) & 0xff

/** Returns the bytes from `start` up to, but not including, `end`. */
export function bytesFrom(start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start)
  for (let place = start; place < end; place++) bytes[place - start] = byteAt(place)
  return bytes
}

/** Yields a source of so many bytes in chunks; calls `before` with the number of bytes yielded before each. */
export async function* source(
  size: number,
  { chunk = 65_536, before = (_given: number): unknown => undefined } = {},
): AsyncGenerator<Buffer, void, undefined> {
  for (let given = 0; given < size; given += chunk) {
    await before(given)
    yield bytesFrom(given, Math.min(size, given + chunk))
  }
}

/** Returns the size and MD5 that a store must report for such a source. */
export function storedForm(size: number): { size: number; md5: string } {
  return { size, md5: createHash('md5').update(bytesFrom(0, size)).digest('hex') }
}
