import { type Notice, notice } from '../../notices/notice.ts'
import { ByteReader, type Bytes } from './byte-reader.ts'
import { SourceFault } from './source-fault.ts'

/** A file of an archive. Its content can be read once, before the next one is asked for. */
export interface ArchiveEntry {
  readonly name: string
  /** Bytes of the content, as the directory of the archive says; null where it does not. */
  readonly size: number | null
  readonly content: Bytes
}

const BLOCK = 512
/** Bytes of a name or of attributes that precede a file. */
const MAX_HEADER = 1024 * 1024
/** Headers of attributes that precede one file: a name, the target of a link, and attributes of the file and of all. */
const MAX_ATTRIBUTE_HEADERS = 16
/** Headers of an archive, also of folders and links, which are not counted as files. */
const MAX_HEADERS = 1_000_000
/** Types without content of their own: links, devices, directories, the label of a volume. */
const WITHOUT_CONTENT = new Set(['1', '2', '3', '4', '5', '6', 'D', 'V', 'N'])
/** Types whose content is no file as it was, and why. */
const OTHER_TYPES: { readonly [type: string]: Notice } = {
  S: notice('sparseFile'),
  M: notice('continuedArchive'),
}

/** Whether a stream that begins so is a tar archive. @param beginning 512 bytes of it */
export function isTar(beginning: Buffer): boolean {
  return beginning.length >= BLOCK && isHeader(beginning)
}

/** What attributes say of the next file. */
interface Attributes {
  name?: string
  size?: number
  isSparse?: boolean
}

/**
 * The files of a tar archive, one after another. Read by hand: a reader of streams loses what it holds of a file in which
 * the archive is cut off, and that is what has to be saved. Behind a damaged header, and behind the end of a first archive,
 * it goes on with the next header. Links, devices and directories have no content and are left out.
 * @throws SourceFault when the archive is cut off or damaged, after all that could be read
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
      if (isEnded && rest.some((byte) => byte !== 0)) damage ??= behindEnd()
      if (damage !== null) throw new SourceFault(damage)
      if (!isEnded) throw new SourceFault(notice('archiveCutOff'))
      return
    }
    if (header.every((byte) => byte === 0)) {
      isEnded = true
      continue
    }
    if (!isHeader(header)) {
      damage ??= isEnded ? behindEnd() : notice('archiveHeaderWrong')
      continue
    }
    isEnded = false
    if (++headers > MAX_HEADERS) throw new SourceFault(notice('tooManyArchiveHeaders', { maximum: MAX_HEADERS }))
    const type = String.fromCharCode(header[156]!)
    const isOfAttributes = type === 'x' || type === 'L' || type === 'g' || type === 'K'
    // The size among attributes is that of the file, not that of further attributes in front of it.
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
    const other = given.isSparse ? OTHER_TYPES.S : OTHER_TYPES[type]
    given = {}
    attributeHeaders = 0
    const end = reader.position + size
    if (other !== undefined) yield { name, size, content: failing(other) }
    else if (!WITHOUT_CONTENT.has(type) && !name.endsWith('/')) yield { name, size, content: contentUpTo(reader, end) }
    if (!(await reader.skip(end - reader.position + padding))) throw new SourceFault(notice('archiveCutOff'))
  }
}

function behindEnd(): Notice {
  return notice('archiveSomethingBehind')
}

function attributesOf(type: string, bytes: Buffer): Attributes {
  if (type === 'L') return { name: textUntilNul(bytes) }
  if (type !== 'x') return {}
  const said = paxAttributes(bytes)
  const [path, size] = [said.get('GNU.sparse.name') ?? said.get('path'), said.get('size')]
  return {
    ...(path !== undefined && { name: path }),
    ...(size !== undefined && { size: paxSizeOf(size) }),
    ...([...said.keys()].some((key) => key.startsWith('GNU.sparse.')) && { isSparse: true }),
  }
}

/** @throws SourceFault where it is no whole number: nothing tells where the next file begins */
function paxSizeOf(text: string): number {
  const size = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(size)) throw new SourceFault(notice('archiveFileSizeWrong'))
  return size
}

/** Content that cannot be read. */
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

/** Whether the sum of all bytes is right, those of the sum itself counted as spaces. */
function isHeader(header: Buffer): boolean {
  let sum = 8 * 32
  for (let index = 0; index < BLOCK; index++) if (index < 148 || index >= 156) sum += header[index]!
  return Number.parseInt(textUntilNul(header.subarray(148, 156)).trim(), 8) === sum
}

/** Octal digits, or a binary number of 12 bytes where they do not suffice. */
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

/** Lines of `<length> <name>=<value>`. */
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
