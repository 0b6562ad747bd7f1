import { type Notice, notice } from '../../notices/notice.ts'
import { ByteReader, type Bytes } from './byte-reader.ts'
import { printableName } from './printable-name.ts'
import { SourceFault } from './source-fault.ts'

/** A file of an archive. Its content can be read once, before the next file is requested. */
export interface ArchiveEntry {
  readonly name: string
  /** Bytes of the content according to the archive's directory; null when it does not have the size. */
  readonly size: number | null
  readonly content: Bytes
}

const BLOCK = 512
/** Maximum bytes of a name or of attributes before a file. */
const MAX_HEADER = 1024 * 1024
/** Maximum attribute headers before one file: a name, the target of a link, and attributes of the file and of all files. */
const MAX_ATTRIBUTE_HEADERS = 16
/** Maximum headers of an archive, including folders and links, which do not count as files. */
const MAX_HEADERS = 1_000_000
/** Types without content: devices, directories, the label of a volume. */
const WITHOUT_CONTENT = new Set(['3', '4', '5', '6', 'D', 'V', 'N'])
/** Hard and symbolic links. */
const LINKS = new Set(['1', '2'])
/** Types whose content is not the original file, with the reason. */
const OTHER_TYPES: { readonly [type: string]: Notice } = {
  S: notice('sparseFile'),
  M: notice('continuedArchive'),
}

/** Returns whether a stream is a tar archive. @param beginning its first 512 bytes */
export function isTar(beginning: Buffer): boolean {
  return beginning.length >= BLOCK && isHeader(beginning)
}

/** Attributes for the next file. */
interface Attributes {
  name?: string
  /** The target of a link. */
  target?: string
  size?: number
  isSparse?: boolean
}

/**
 * Yields the files of a tar archive. It is parsed here, because stream parsers drop the buffered part of a file in which the
 * archive is cut off, and this part should be saved. After a damaged header, and after the end of a first archive, parsing
 * continues at the next header. Devices and directories have no content and are skipped. A link is a file that cannot be read,
 * because the file that it leads to may have another name and class, or may be missing.
 * @throws SourceFault when the archive is cut off or damaged, after all readable files
 */
export async function* tarEntries(bytes: Bytes): AsyncGenerator<ArchiveEntry> {
  const reader = new ByteReader(bytes)
  try {
    yield* entriesOf(reader)
  } finally {
    await reader.close()
  }
}

async function* entriesOf(reader: ByteReader): AsyncGenerator<ArchiveEntry> {
  let damage: Notice | null = null
  let isEnded = false
  let given: Attributes = {}
  let attributeHeaders = 0
  let headers = 0
  for (;;) {
    const header = await reader.take(BLOCK)
    if (!header) {
      const rest = await reader.peek(BLOCK)
      if (isEnded && rest.some((byte) => byte !== 0)) damage ??= bytesAfterEnd()
      if (damage !== null) throw new SourceFault(damage)
      if (!isEnded) throw new SourceFault(notice('archiveCutOff'))
      return
    }
    if (header.every((byte) => byte === 0)) {
      isEnded = true
      continue
    }
    if (!isHeader(header)) {
      damage ??= isEnded ? bytesAfterEnd() : notice('archiveHeaderWrong')
      continue
    }
    isEnded = false
    if (++headers > MAX_HEADERS) throw new SourceFault(notice('tooManyArchiveHeaders', { maximum: MAX_HEADERS }))
    const type = String.fromCharCode(header[156]!)
    const isOfAttributes = type === 'x' || type === 'L' || type === 'g' || type === 'K'
    // The size attribute applies to the file, not to further attribute headers before it.
    const size: number = (isOfAttributes ? undefined : given.size) ?? sizeOf(header)
    const padding = (BLOCK - (size % BLOCK)) % BLOCK
    if (isOfAttributes) {
      if (size > MAX_HEADER || ++attributeHeaders > MAX_ATTRIBUTE_HEADERS)
        throw new SourceFault(notice('archiveAttributesTooLong'))
      const content = await reader.take(size + padding)
      if (!content) throw new SourceFault(notice('archiveCutOff'))
      given = { ...given, ...attributesOf(type, content.subarray(0, size)) }
      continue
    }
    const name = given.name ?? nameOf(header)
    const link = LINKS.has(type) ? notice('archiveLink', { target: printableName(targetOf(header, given)) }) : undefined
    const other = given.isSparse ? OTHER_TYPES.S : (link ?? OTHER_TYPES[type])
    given = {}
    attributeHeaders = 0
    const end = reader.position + size
    if (other !== undefined) yield { name, size, content: failing(other) }
    else if (!WITHOUT_CONTENT.has(type) && (!name.endsWith('/') || size > 0))
      yield { name, size, content: contentUpTo(reader, end) }
    if (!(await reader.skip(end - reader.position + padding))) throw new SourceFault(notice('archiveCutOff'))
  }
}

function bytesAfterEnd(): Notice {
  return notice('archiveSomethingBehind')
}

function attributesOf(type: string, bytes: Buffer): Attributes {
  if (type === 'L') return { name: textUntilNul(bytes) }
  if (type === 'K') return { target: textUntilNul(bytes) }
  if (type !== 'x') return {}
  const said = paxAttributes(bytes)
  const [path, size] = [said.get('GNU.sparse.name') ?? said.get('path'), said.get('size')]
  const target = said.get('linkpath')
  return {
    ...(target !== undefined && { target }),
    ...(path !== undefined && { name: path }),
    ...(size !== undefined && { size: paxSizeOf(size) }),
    ...([...said.keys()].some((key) => key.startsWith('GNU.sparse.')) && { isSparse: true }),
  }
}

/** @throws SourceFault when it is not a whole number, because the start of the next file is then unknown */
function paxSizeOf(text: string): number {
  const size = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(size)) throw new SourceFault(notice('archiveFileSizeWrong'))
  return size
}

/** Throws the reason why content cannot be read. */
export async function* failing(reason: Notice): AsyncGenerator<Buffer> {
  yield* []
  throw new SourceFault(reason)
}

async function* contentUpTo(reader: ByteReader, end: number): AsyncGenerator<Buffer> {
  while (reader.position < end) {
    const piece = await reader.next(end - reader.position)
    if (!piece) throw new SourceFault(notice('archiveCutOff'))
    yield piece
  }
}

/** Returns whether the checksum is right. The bytes of the checksum field count as spaces. */
function isHeader(header: Buffer): boolean {
  let sum = 8 * 32
  for (let index = 0; index < BLOCK; index++) if (index < 148 || index >= 156) sum += header[index]!
  return Number.parseInt(textUntilNul(header.subarray(148, 156)).trim(), 8) === sum
}

/** Returns the size: octal digits, or a 12-byte binary number for large sizes. */
function sizeOf(header: Buffer): number {
  const field = header.subarray(124, 136)
  const octal = textUntilNul(field).trim()
  const size =
    field[0]! & 0x80
      ? Number(BigInt.asIntN(95, BigInt(`0x${field.toString('hex')}`)))
      : /^[0-7]*$/.test(octal)
        ? Number.parseInt(octal || '0', 8)
        : Number.NaN
  if (!Number.isSafeInteger(size) || size < 0) throw new SourceFault(notice('archiveFileSizeWrong'))
  return size
}

function nameOf(header: Buffer): string {
  const prefix = textUntilNul(header.subarray(345, 500))
  const name = textUntilNul(header.subarray(0, 100))
  return prefix === '' ? name : `${prefix}/${name}`
}

function targetOf(header: Buffer, { target }: Attributes): string {
  return target ?? textUntilNul(header.subarray(157, 257))
}

/** Parses lines of `<length> <name>=<value>`. */
function paxAttributes(bytes: Buffer): Map<string, string> {
  const attributes = new Map<string, string>()
  for (let start = 0; start < bytes.length; ) {
    const length = Number(/^(\d{1,7}) /.exec(bytes.toString('latin1', start, start + 20))?.[1])
    if (!(length > 3) || start + length > bytes.length) break
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
