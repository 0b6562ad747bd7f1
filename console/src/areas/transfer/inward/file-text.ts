import { isOldSpreadsheet } from '../../../../../src/import/forms/spreadsheet.ts'
import { detectEncoding, type Encoding, isValid } from '../../../../../src/import/sources/detect-encoding.ts'

/** Bytes by which the encoding of a file is known. */
const BEGINNING = 256 * 1024
/** How zip archives begin, and so the files of newer versions of Excel. */
const ZIP = [0x50, 0x4b, 3, 4]

/** A spreadsheet, which has to be saved as CSV first. */
export class IsSpreadsheet extends Error {}

/** The encoding of a file of text. @throws IsSpreadsheet; Error for other files that are no text */
export async function encodingOf(file: Blob): Promise<Encoding> {
  const beginning = new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer())
  if (isOldSpreadsheet(beginning) || ZIP.every((byte, index) => beginning[index] === byte)) throw new IsSpreadsheet()
  const encoding = detectEncoding(beginning)
  if (encoding === null) throw new Error('The file is no text.')
  return encoding
}

/** The text of a file, while it is read; what is none of its encoding becomes U+FFFD. */
export function textStream(file: Blob, encoding: Encoding): ReadableStream<string> {
  return file.stream().pipeThrough(new TextDecoderStream(encoding))
}

/** Whether all bytes of a file are text of an encoding: then a U+FFFD in it stands in the file. */
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
