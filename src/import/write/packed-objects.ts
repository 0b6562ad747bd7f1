import { aclColumns } from '../../objects/access/acl.ts'
import { beginningOfRow } from './object-rows.ts'
import { type ImportedObject, NO_IDENTITIES, NO_NOTES } from './parse-object.ts'
import type { FieldTypes } from './shared-types.ts'

/**
 * Objects as a thread hands them over: as the rows that COPY takes. In most cases these go to the database as they are, and
 * the event loop, which would have to make ten thousand values for a thousand objects, makes none of them.
 */
export interface PackedObjects {
  /** In the text form of COPY. */
  readonly rows: Uint8Array
  /** Where each stood among the records. */
  readonly indexes: Uint32Array
  /** Types of fields in the order in which they are first met, and which of them each has. */
  readonly types: readonly FieldTypes[]
  readonly typesOf: Uint32Array
  /** Whether two have the same id. */
  readonly hasRepeated: boolean
  /** What of an object is not as with most of them, by its number. */
  readonly special: ReadonlyMap<number, Special>
}

type Special = Pick<ImportedObject, 'hasId' | 'acl' | 'credentials' | 'identities' | 'notes'>

/** What most objects have. */
const USUAL: Special = {
  hasId: true,
  acl: aclColumns(null),
  credentials: null,
  identities: NO_IDENTITIES,
  notes: NO_NOTES,
}

const [BACKSLASH, TAB, NEWLINE] = [92, 9, 10]
/** Bytes of a row, roughly. */
const USUAL_SIZE = 500
/** By how much the place for rows grows where it is too small. */
const GROWTH = 1.5

/** Packs objects one after another; nothing is kept of those that are as most are. */
export class ObjectPacker {
  /** Of its own, not of the memory that small buffers share: a thread can hand it over. */
  #rows: Buffer
  #length = 0
  readonly #indexes: number[] = []
  readonly #types = new Map<FieldTypes, number>()
  readonly #typesOf: number[] = []
  readonly #ids = new Set<string>()
  readonly #special = new Map<number, Special>()

  /** @param size bytes that the rows will probably have */
  constructor(size: number) {
    this.#rows = Buffer.allocUnsafeSlow(Math.max(size, 1024))
  }

  /** @param index where the object stood among the records */
  add(index: number, object: ImportedObject): void {
    const number = this.#indexes.push(index) - 1
    if (!this.#types.has(object.types)) this.#types.set(object.types, this.#types.size)
    this.#typesOf.push(this.#types.get(object.types)!)
    this.#ids.add(object.id)
    if (!isUsual(object)) this.#special.set(number, specialOf(object))
    this.#append(beginningOfRow(object))
    this.#appendJson(object.data)
    this.#append('\n')
  }

  packed(): PackedObjects {
    return {
      rows: this.#rows.subarray(0, this.#length),
      indexes: Uint32Array.from(this.#indexes),
      types: [...this.#types.keys()],
      typesOf: Uint32Array.from(this.#typesOf),
      hasRepeated: this.#ids.size < this.#indexes.length,
      special: this.#special,
    }
  }

  #append(text: string): void {
    this.#makeRoom(Buffer.byteLength(text))
    this.#length += this.#rows.write(text, this.#length)
  }

  /** Backslashes are doubled where they lie: a text of millions of them would take seconds to replace. */
  #appendJson(json: string): void {
    const start = this.#length
    this.#append(json)
    if (!json.includes('\\')) return
    let count = 0
    for (let index = start; index < this.#length; index++) if (this.#rows[index] === BACKSLASH) count++
    this.#makeRoom(count)
    const rows = this.#rows
    let from = this.#length - 1
    this.#length += count
    for (let to = this.#length - 1; to > from; from--) {
      const byte = rows[from]!
      rows[to--] = byte
      if (byte === BACKSLASH) rows[to--] = BACKSLASH
    }
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#rows.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.ceil(this.#rows.length * GROWTH)))
    this.#rows.copy(larger, 0, 0, this.#length)
    this.#rows = larger
  }
}

/** @param objects each with where it stood among the records */
export function packObjects(objects: readonly { readonly index: number; readonly value: ImportedObject }[]) {
  const packer = new ObjectPacker(objects.length * USUAL_SIZE)
  for (const { index, value } of objects) packer.add(index, value)
  return packer.packed()
}

function isUsual({ hasId, acl, credentials, identities, notes }: ImportedObject): boolean {
  return hasId && acl === USUAL.acl && credentials === null && identities === USUAL.identities && notes === USUAL.notes
}

function specialOf({ hasId, acl, credentials, identities, notes }: ImportedObject): Special {
  return { hasId, acl, credentials, identities, notes }
}

/** The objects that were packed, in their order. */
export function unpackObjects({ rows, indexes, types, typesOf, special }: PackedObjects): ImportedObject[] {
  const bytes = Buffer.from(rows.buffer, rows.byteOffset, rows.length)
  let start = 0
  return Array.from(indexes, (_, number) => {
    const { hasId, acl, credentials, identities, notes } = special.get(number) ?? USUAL
    // No value in the text form of COPY has line breaks or tabs of its own.
    const end = bytes.indexOf(NEWLINE, start)
    const json = bytes.lastIndexOf(TAB, end) + 1
    const [id, createdAt, updatedAt] = bytes.toString('utf8', start, json).split('\t') as [string, string, string]
    const data = withoutDoubled(bytes.subarray(json, end)).toString('utf8')
    start = end + 1
    return {
      id,
      hasId,
      createdAt,
      updatedAt,
      acl,
      data,
      types: types[typesOf[number]!]!,
      credentials,
      identities,
      notes,
    }
  })
}

function withoutDoubled(bytes: Buffer): Buffer {
  if (!bytes.includes(BACKSLASH)) return bytes
  const single = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] === BACKSLASH) index++
    single[length++] = bytes[index]!
  }
  return single.subarray(0, length)
}
