import { type Binary, type DBRef, type Decimal128, deserialize, type Long, type ObjectId, type Timestamp } from 'bson'
import { type Notice, notice } from '../../notices/notice.ts'
import { NoticedError, noticeOf } from '../../notices/noticed-error.ts'
import type { Json } from '../../values/json.ts'
import { REPAIRED_TEXT } from '../odd-text.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { SourceFault } from '../sources/source-fault.ts'
import { checkBsonExtent } from './bson-extent.ts'
import { type ImportRecord, SHOWN } from './record.ts'

/** Maximum size of a document in bytes: MongoDB allows 16 MB, and some overhead. */
const MAX_DOCUMENT = 17 * 1024 * 1024
/** Lists derived from the ACL (protocol/moving-in, BSON backup). */
const DERIVED = new Set(['_r', '_w'])
const BEYOND_EXACT = notice('roundedNumber')
const MORE_DIGITS = notice('roundedDecimal')

/** Returns whether a file with this beginning is a sequence of BSON documents. */
export function isBson(beginning: Buffer): boolean {
  if (beginning.length < 5) return false
  const size = beginning.readInt32LE(0)
  if (size < 5 || size > MAX_DOCUMENT) return false
  if (size === 5) return beginning[4] === 0
  const type = beginning[4]!
  const nameEnd = beginning.indexOf(0, 5)
  const isType = (type >= 0x01 && type <= 0x13) || type === 0x7f || type === 0xff
  return isType && nameEnd > 5 && /^[\x20-\x7e]+$/.test(beginning.toString('latin1', 5, nameEnd))
}

/**
 * Yields the documents of a backup as lines of a JSON export (protocol/moving-in, BSON backup).
 * @throws SourceFault when the file is truncated or damaged, because the start of the next document is then unknown
 */
export async function* bsonRecords(reader: ByteReader): AsyncGenerator<ImportRecord> {
  yield* documents(reader, (document, notes) => objectOf(document, notes))
}

/** Yields the documents of a `_Join:` collection as members of its relation: `{"owningId":…,"relatedId":…}`. */
export async function* bsonMembers(reader: ByteReader): AsyncGenerator<ImportRecord> {
  yield* documents(reader, ({ owningId, relatedId }) => ({ owningId: idOf(owningId), relatedId: idOf(relatedId) }))
}

async function* documents(
  reader: ByteReader,
  read: (document: Record<string, unknown>, notes: Set<Notice>) => Json,
): AsyncGenerator<ImportRecord> {
  for (let at = 1; ; at++) {
    const head = await reader.peek(4)
    // `take` throws if the stream is cut off here.
    if (head.length === 0 && !(await reader.take(1))) return
    if (head.length < 4) throw new SourceFault(notice('documentCutOff', { document: at }))
    const size = head.readInt32LE(0)
    if (size < 5 || size > MAX_DOCUMENT) throw new SourceFault(notice('documentLengthWrong', { document: at }))
    const bytes = await reader.take(size)
    if (!bytes) throw new SourceFault(notice('documentCutOff', { document: at }))
    yield recordOf(at, bytes, read)
  }
}

function recordOf(
  at: number,
  bytes: Buffer,
  read: (document: Record<string, unknown>, notes: Set<Notice>) => Json,
): ImportRecord {
  const notes = new Set<Notice>()
  try {
    checkBsonExtent(bytes)
    const document = documentOf(bytes, notes)
    return { at, text: JSON.stringify(read(document, notes)), ...(notes.size > 0 && { notes: [...notes] }) }
  } catch (error) {
    return {
      at,
      text: bytes.toString('base64', 0, Math.min(bytes.length, SHOWN)),
      reason: notice('documentUnreadable', { reason: noticeOf(error) }),
    }
  }
}

/** Regular expressions are not compiled: they are stored as null, and an invalid one would make the document unreadable. */
const AS_STORED = { promoteLongs: false, promoteBuffers: false, promoteValues: true, bsonRegExp: true } as const

/** @throws Error for a damaged document */
function documentOf(bytes: Buffer, notes: Set<Notice>): Record<string, unknown> {
  try {
    return deserialize(bytes, AS_STORED)
  } catch {
    // Some drivers write halves of surrogate pairs, which are not valid UTF-8.
    const document = deserialize(bytes, { ...AS_STORED, validation: { utf8: false } })
    notes.add(REPAIRED_TEXT)
    return document
  }
}

function objectOf(document: Record<string, unknown>, notes: Set<Notice>): Json {
  const members = Object.entries(document).flatMap(([name, value]): [string, Json][] => {
    if (DERIVED.has(name)) return []
    const plain = plainValue(value, notes)
    // The writer handles any other `_id`, because it knows which objectIds are valid.
    if (name === '_id' && typeof plain === 'string') return [['objectId', plain]]
    if ((name === 'createdAt' || name === 'updatedAt') && value instanceof Date) return [[name, isoOf(value)]]
    return [[name, plain]]
  })
  return Object.fromEntries(members)
}

function plainValue(value: unknown, notes: Set<Notice>): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      // JSON cannot represent this number. The writer stores null for it and counts it with its field.
      return Number.isFinite(value) ? value : { $numberDouble: String(value) }
    case 'bigint':
      return numberOf(String(value), notes)
    case 'object':
      break
    default:
      return null
  }
  if (value === null) return null
  if (Array.isArray(value)) return value.map((item) => plainValue(item, notes))
  if (value instanceof Date) return { __type: 'Date', iso: isoOf(value) }
  const type = (value as { _bsontype?: string })._bsontype
  return type === undefined ? embeddedOf(value as Record<string, unknown>, notes) : typedOf(type, value, notes)
}

/** Converts an embedded document: a GeoJSON point becomes a GeoPoint, any other an object. */
function embeddedOf(value: Record<string, unknown>, notes: Set<Notice>): Json {
  const { type, coordinates } = value
  if (type === 'Point' && Array.isArray(coordinates) && coordinates.length === 2) {
    const [longitude, latitude] = coordinates.map((one) => plainValue(one, notes))
    return { __type: 'GeoPoint', latitude: latitude!, longitude: longitude! }
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainValue(member, notes)]))
}

function typedOf(type: string, value: object, notes: Set<Notice>): Json {
  switch (type) {
    case 'DBRef': {
      const { collection, oid } = value as DBRef
      const id = plainValue(oid, notes)
      return collection === '_File'
        ? { __type: 'File', id }
        : { __type: 'Pointer', className: collection, objectId: id }
    }
    case 'ObjectId':
      return (value as ObjectId).toHexString()
    case 'Long':
      return numberOf((value as Long).toString(), notes)
    case 'Decimal128':
      return numberOf((value as Decimal128).toString(), notes)
    case 'Int32':
    case 'Double':
      return plainValue(Number(value), notes)
    case 'Binary':
      return {
        __type: 'Bytes',
        base64: Buffer.from((value as Binary).buffer)
          .subarray(0, (value as Binary).position)
          .toString('base64'),
      }
    case 'BSONRegExp':
      return { __type: 'RegExp' }
    case 'Timestamp':
      return numberOf((value as Timestamp).toString(), notes)
    default:
      // For example a regular expression. The writer stores null for an unknown type, and counts it with its field.
      return { __type: type }
  }
}

function numberOf(digits: string, notes: Set<Notice>): Json {
  const number = Number(digits)
  if (!Number.isFinite(number)) return plainValue(number, notes)
  if (/^-?\d+$/.test(digits) && BigInt(number) !== BigInt(digits)) notes.add(BEYOND_EXACT)
  else if (digits.replace(/\D/g, '').length > 17) notes.add(MORE_DIGITS)
  return number
}

/** Returns an id as text. An ObjectId becomes its 24 hexadecimal digits. */
function idOf(value: unknown): string {
  if (typeof value === 'string') return value
  const { _bsontype: type } = (value ?? {}) as { _bsontype?: string }
  if (type === 'ObjectId') return (value as ObjectId).toHexString()
  if (type === 'DBRef') return idOf((value as DBRef).oid)
  throw new NoticedError(notice('documentIdInvalid'))
}

/** @returns null for an invalid date; null is stored in place of the value */
function isoOf(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
