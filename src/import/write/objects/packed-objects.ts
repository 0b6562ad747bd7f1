import { aclColumns } from '../../../objects/access/acl.ts'
import { RowBuffer } from '../row-buffer.ts'
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

/** Packs objects one after another; nothing is kept of those that are as most are. */
export class ObjectPacker {
  readonly #rows: RowBuffer
  readonly #indexes: number[] = []
  readonly #types = new Map<FieldTypes, number>()
  readonly #typesOf: number[] = []
  readonly #ids = new Set<string>()
  readonly #special = new Map<number, Special>()

  /** @param size bytes that the rows will probably have */
  constructor(size: number) {
    this.#rows = new RowBuffer(size)
  }

  /** @param index where the object stood among the records */
  add(index: number, object: ImportedObject): void {
    const number = this.#indexes.push(index) - 1
    if (!this.#types.has(object.types)) this.#types.set(object.types, this.#types.size)
    this.#typesOf.push(this.#types.get(object.types)!)
    this.#ids.add(object.id)
    if (!isUsual(object)) this.#special.set(number, specialOf(object))
    this.#rows.append(beginningOfRow(object))
    this.#rows.appendJson(object.data)
    this.#rows.append('\n')
  }

  packed(): PackedObjects {
    return {
      rows: this.#rows.bytes(),
      indexes: Uint32Array.from(this.#indexes),
      types: [...this.#types.keys()],
      typesOf: Uint32Array.from(this.#typesOf),
      hasRepeated: this.#ids.size < this.#indexes.length,
      special: this.#special,
    }
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
