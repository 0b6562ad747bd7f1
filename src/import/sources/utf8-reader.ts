import { ByteReader } from './byte-reader.ts'
import { detectEncoding, type Encoding } from './detect-encoding.ts'

/** Bytes of a file by which its encoding is known. */
const BEGINNING = 256 * 1024

/** A file as UTF-8, and the other encoding that it has; null for UTF-8, and for bytes that are no text. */
interface Utf8Content {
  readonly reader: ByteReader
  readonly encoding: Encoding | null
}

/**
 * Reads a text as UTF-8 whatever its encoding is.
 * @param told the encoding, where the user says it
 * @param isBinary whether bytes are of a form that is no text
 */
export async function utf8Content(
  reader: ByteReader,
  told: Encoding | undefined,
  isBinary: (beginning: Buffer) => boolean,
): Promise<Utf8Content> {
  const beginning = await reader.peek(BEGINNING)
  const encoding = isBinary(beginning) ? null : (told ?? detectEncoding(beginning))
  if (encoding === null || encoding === 'utf-8') return { reader, encoding: null }
  return { reader: utf8Reader(reader, encoding), encoding }
}

/** Reads a text of another encoding as UTF-8; what is none of it becomes U+FFFD. */
export function utf8Reader(reader: ByteReader, encoding: Encoding): ByteReader {
  return new ByteReader(decoded(reader, encoding))
}

async function* decoded(reader: ByteReader, encoding: Encoding): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding)
  for await (const piece of reader.rest()) yield Buffer.from(decoder.decode(piece, { stream: true }))
  yield Buffer.from(decoder.decode())
}
