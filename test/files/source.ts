import { createHash } from 'node:crypto'

/** The byte at a place of all sources: no two neighbouring chunks are alike. */
const byteAt = (place: number) => (place * 31 + (place >> 8)) & 0xff

/** Bytes from `start` to `end`, not included. */
export function bytesFrom(start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start)
  for (let place = start; place < end; place++) bytes[place - start] = byteAt(place)
  return bytes
}

/** A source of so many bytes, in chunks; `before` is told how many bytes have been given before each. */
export async function* source(
  size: number,
  { chunk = 65_536, before = (_given: number): unknown => undefined } = {},
): AsyncGenerator<Buffer, void, undefined> {
  for (let given = 0; given < size; given += chunk) {
    await before(given)
    yield bytesFrom(given, Math.min(size, given + chunk))
  }
}

/** What a store must say of such a source. */
export function storedForm(size: number): { size: number; md5: string } {
  return { size, md5: createHash('md5').update(bytesFrom(0, size)).digest('hex') }
}
