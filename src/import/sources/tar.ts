import { ByteReader, type Bytes } from './byte-reader.ts'
import { SourceFault } from './source-fault.ts'

/** A file of an archive. Its content can be read once, before the next one is asked for. */
export interface ArchiveEntry {
  readonly name: string
  readonly content: Bytes
}

const BLOCK = 512
/** Bytes of a name or of attributes that stand in front of a file. */
const MAX_HEADER = 64 * 1024

/** Whether a stream that begins so is a tar archive. @param beginning 512 bytes of it */
export function isTar(beginning: Buffer): boolean {
  return beginning.length >= BLOCK && beginning.toString('latin1', 257, 262) === 'ustar' && hasChecksum(beginning)
}

/**
 * The files of a tar archive, one after another. Read by hand: a reader of streams loses what it holds of a file in which
 * the archive is cut off, and that is what has to be saved. Links, devices and directories have no content and are left out.
 * @throws SourceFault when the archive is cut off or damaged, after all that came before
 */
export async function* tarEntries(bytes: Bytes): AsyncGenerator<ArchiveEntry> {
  const reader = new ByteReader(bytes)
  let longName: string | null = null
  let longSize: number | null = null
  for (;;) {
    const header = await reader.take(BLOCK)
    if (!header) throw new SourceFault('the archive is cut off')
    if (header.every((byte) => byte === 0)) return
    if (!hasChecksum(header)) throw new SourceFault('the archive is damaged: the header of a file is wrong')
    const type = String.fromCharCode(header[156]!)
    const size: number = longSize ?? sizeOf(header)
    const padding = (BLOCK - (size % BLOCK)) % BLOCK
    if (type === 'x' || type === 'L' || type === 'g' || type === 'K') {
      if (size > MAX_HEADER) throw new SourceFault('the archive is damaged: the attributes of a file are too long')
      const content = await reader.take(size + padding)
      if (!content) throw new SourceFault('the archive is cut off')
      const attributes = content.subarray(0, size)
      if (type === 'L') longName = textUntilNul(attributes)
      if (type === 'x') {
        const given = paxAttributes(attributes)
        longName = given.get('path') ?? longName
        const givenSize = given.get('size')
        if (givenSize !== undefined) longSize = Number(givenSize)
      }
      continue
    }
    const name = longName ?? nameOf(header)
    longName = null
    longSize = null
    const end = reader.position + size
    if (type === '0' || type === '\u0000' || type === '7') yield { name, content: contentUpTo(reader, end) }
    if (!(await reader.skip(end - reader.position + padding))) throw new SourceFault('the archive is cut off')
  }
}

async function* contentUpTo(reader: ByteReader, end: number): AsyncGenerator<Buffer> {
  while (reader.position < end) {
    const piece = await reader.next(end - reader.position)
    if (!piece) throw new SourceFault('the archive is cut off')
    yield piece
  }
}

/** The sum of all bytes, those of the sum itself counted as spaces. */
function hasChecksum(header: Buffer): boolean {
  let sum = 8 * 32
  for (let index = 0; index < BLOCK; index++) if (index < 148 || index >= 156) sum += header[index]!
  return Number.parseInt(textUntilNul(header.subarray(148, 156)).trim(), 8) === sum
}

/** Octal digits, or a binary number where they do not suffice. */
function sizeOf(header: Buffer): number {
  const field = header.subarray(124, 136)
  const size =
    field[0]! & 0x80 ? Number(field.readBigUInt64BE(4)) : Number.parseInt(textUntilNul(field).trim() || '0', 8)
  if (!Number.isSafeInteger(size) || size < 0)
    throw new SourceFault('the archive is damaged: the size of a file is wrong')
  return size
}

function nameOf(header: Buffer): string {
  const prefix = textUntilNul(header.subarray(345, 500))
  const name = textUntilNul(header.subarray(0, 100))
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Lines of `<length> <name>=<value>`. */
function paxAttributes(bytes: Buffer): Map<string, string> {
  const attributes = new Map<string, string>()
  for (let start = 0; start < bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', start, start + 20), 10)
    if (!(length > 3)) break
    const [, name = '', value = ''] =
      /^\d+ ([^=]*)=([\s\S]*)\n$/.exec(bytes.toString('utf8', start, start + length)) ?? []
    if (name !== '') attributes.set(name, value)
    start += length
  }
  return attributes
}

function textUntilNul(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
}
