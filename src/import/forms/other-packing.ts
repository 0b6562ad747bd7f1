/** The first bytes of files in compression formats that are not supported. */
const BEGINNINGS: readonly [how: string, beginning: Buffer][] = [
  ['xz', Buffer.from('fd377a585a00', 'hex')],
  ['Zstandard', Buffer.from('28b52ffd', 'hex')],
  ['bzip2', Buffer.from('BZh')],
  ['7-Zip', Buffer.from('377abcaf271c', 'hex')],
  ['RAR', Buffer.from('Rar!\u001a\u0007', 'latin1')],
  ['LZ4', Buffer.from('04224d18', 'hex')],
  ['LZMA', Buffer.from('5d0000', 'hex')],
  ['compress', Buffer.from('1f9d', 'hex')],
]

/** Returns the compression format of a file with this beginning; null for any other beginning. */
export function otherPackingOf(beginning: Buffer): string | null {
  const found = BEGINNINGS.find(([, bytes]) => beginning.subarray(0, bytes.length).equals(bytes))
  return found?.[0] ?? null
}
