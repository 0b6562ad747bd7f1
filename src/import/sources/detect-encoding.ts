// Also runs in browsers: the console imports the same files.

/** Encodings of files. GB18030 contains GBK and GB2312 with the same byte sequences. */
export const ENCODINGS = ['utf-8', 'gb18030', 'utf-16le', 'utf-16be'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Aliases of encodings, in lower case without separators. */
const NAMES: { readonly [name: string]: Encoding } = {
  utf8: 'utf-8',
  gbk: 'gb18030',
  gb2312: 'gb18030',
  gb18030: 'gb18030',
  cp936: 'gb18030',
  utf16: 'utf-16le',
  unicode: 'utf-16le',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
}

/** Returns the encoding of a name; null for an unknown name. */
export function encodingNamed(name: string): Encoding | null {
  const plain = name.toLowerCase().replace(/[-_\s]/g, '')
  return Object.hasOwn(NAMES, plain) ? NAMES[plain]! : null
}

/** Bytes that are checked for zeros. Among texts, only UTF-16 contains zero bytes. */
const LOOKED_AT = 4096
/**
 * Minimum share of zero bytes at even or odd positions in a UTF-16 text: the high bytes of ASCII characters. Some characters, such
 * as 一, have a low byte of zero; these are fewer.
 */
const ZEROS = 0.1
const MAX_OTHER_ZEROS = 0.5
/** Minimum share of double-byte characters in the GB2312 range in a Chinese text. */
const COMMON = 0.7

/**
 * Detects the encoding of a text by its beginning: by its byte-order mark, by zeros in every second byte, as UTF-8 when most
 * lines are valid, and as GB18030 when the text is valid and most characters are common ones. A damaged line does not change the
 * result for UTF-8.
 * @returns null for bytes that are not text
 */
export function detectEncoding(beginning: Uint8Array): Encoding | null {
  const [first, second, third, fourth] = beginning
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? null : 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (beginning.includes(0)) return utf16Of(beginning.subarray(0, LOOKED_AT))
  if (isValid(beginning, 'utf-8')) return 'utf-8'
  return !isMostlyUtf8(beginning) && isGb18030(beginning) ? 'gb18030' : 'utf-8'
}

/** Returns whether bytes are valid in an encoding. The last character may be cut off. */
export function isValid(bytes: Uint8Array, encoding: Encoding): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

function utf16Of(bytes: Uint8Array): Encoding | null {
  const zeros = [0, 0]
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2]!++
  const [even, odd] = zeros as [number, number]
  const min = (bytes.length / 2) * ZEROS
  const encoding = odd > even ? 'utf-16le' : 'utf-16be'
  const [most, fewest] = odd > even ? [odd, even] : [even, odd]
  return most >= min && fewest <= most * MAX_OTHER_ZEROS && isTextOf(bytes, encoding) ? encoding : null
}

/** Control characters that no text contains. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u0008\u000e-\u001f]/

/** Returns whether bytes are valid in an encoding and contain no control characters of binary data. The last character may be cut off. */
function isTextOf(bytes: Uint8Array, encoding: Encoding): boolean {
  if (!isValid(bytes, encoding)) return false
  return !CONTROL.test(new TextDecoder(encoding).decode(bytes, { stream: true }))
}

/** Returns whether most of the lines with non-ASCII bytes are UTF-8. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  let [valid, invalid] = [0, 0]
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(10, start)
    const end = newline < 0 ? bytes.length : newline
    const line = bytes.subarray(start, end)
    if (line.some((byte) => byte > 0x7f)) {
      if (isValid(line, 'utf-8')) valid++
      else invalid++
    }
    start = end + 1
  }
  return valid > invalid
}

/**
 * Checks for valid GB18030 with common characters. Latin-1 with accents is often valid too, but its trail bytes are ASCII
 * letters.
 */
function isGb18030(bytes: Uint8Array): boolean {
  if (!isValid(bytes, 'gb18030')) return false
  let [double, common] = [0, 0]
  for (let index = 0; index < bytes.length - 1; index++) {
    const [lead, trail] = [bytes[index]!, bytes[index + 1]!]
    if (lead < 0x81) continue
    double++
    if (lead >= 0xa1 && lead <= 0xf7 && trail >= 0xa1) common++
    index++
  }
  return double > 0 && common / double >= COMMON
}
