import { ByteReader } from './byte-reader.ts'
import { detectEncoding, type Encoding } from './detect-encoding.ts'

/** Bytes of a file that are inspected to detect its encoding. */
const BEGINNING = 256 * 1024

/** A file as UTF-8, and its original encoding; null for UTF-8, and for bytes that are not text. */
interface Utf8Content {
  readonly reader: ByteReader
  readonly encoding: Encoding | null
}

/**
 * Reads a text in any encoding as UTF-8.
 * @param given the encoding, if the user specified it
 * @param isBinary returns whether bytes are in a binary form
 */
export async function utf8Content(
  reader: ByteReader,
  given: Encoding | undefined,
  isBinary: (beginning: Buffer) => boolean,
): Promise<Utf8Content> {
  const beginning = await reader.peek(BEGINNING)
  const encoding = isBinary(beginning) ? null : (given ?? detectEncoding(beginning))
  if (encoding === null || encoding === 'utf-8') return { reader, encoding: null }
  return { reader: utf8Reader(reader, encoding), encoding }
}

/** Reads a text of another encoding as UTF-8; invalid bytes become U+FFFD. */
export function utf8Reader(reader: ByteReader, encoding: Encoding): ByteReader {
  return new ByteReader(decoded(reader, encoding))
}

async function* decoded(reader: ByteReader, encoding: Encoding): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding)
  for await (const piece of reader.rest()) yield Buffer.from(decoder.decode(piece, { stream: true }))
  yield Buffer.from(decoder.decode())
}
