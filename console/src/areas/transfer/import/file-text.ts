import { isOldSpreadsheet } from '../../../../../src/import/forms/spreadsheet.ts'
import { detectEncoding, type Encoding, isValid } from '../../../../../src/import/sources/detect-encoding.ts'

/** Bytes used to detect the encoding of a file. */
const BEGINNING = 256 * 1024
/** The first bytes of zip archives, including files of newer Excel versions. */
const ZIP = [0x50, 0x4b, 3, 4]

/** The file is a spreadsheet, which must be saved as CSV first. */
export class IsSpreadsheet extends Error {}

/**
 * Detects the encoding of a text file.
 * @throws IsSpreadsheet; Error for other binary files
 */
export async function encodingOf(file: Blob): Promise<Encoding> {
  const beginning = new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer())
  if (isOldSpreadsheet(beginning) || ZIP.every((byte, index) => beginning[index] === byte)) throw new IsSpreadsheet()
  const encoding = detectEncoding(beginning)
  if (encoding === null) throw new Error('The file is not a text file.')
  return encoding
}

/** Streams the text of a file; invalid bytes become U+FFFD. */
export function textStream(file: Blob, encoding: Encoding): ReadableStream<string> {
  return file.stream().pipeThrough(new TextDecoderStream(encoding))
}

/** Returns whether all bytes of a file are valid in an encoding: then a U+FFFD is part of the file. */
export async function isAllOf(file: Blob, encoding: Encoding): Promise<boolean> {
  if (file.size <= BEGINNING) return isValid(new Uint8Array(await file.arrayBuffer()), encoding)
  const reader = file
    .stream()
    .pipeThrough(new TextDecoderStream(encoding, { fatal: true }))
    .getReader()
  try {
    for (;;) if ((await reader.read()).done) return true
  } catch {
    return false
  }
}
