import { aclColumns } from '../../../objects/access/acl.ts'
import { RowBuffer } from '../row-buffer.ts'
import { beginningOfRow } from './object-rows.ts'
import { type ImportedObject, NO_IDENTITIES, NO_NOTES } from './parse-object.ts'
import type { FieldTypes } from './shared-types.ts'

/**
 * Objects in the form that a thread returns: as rows of COPY. Usually these are sent to the database unparsed, which saves the
 * event loop from creating ten thousand values for a thousand objects.
 */
export interface PackedObjects {
  /** In the text format of COPY. */
  readonly rows: Uint8Array
  /** The index of each object among the records. */
  readonly indexes: Uint32Array
  /** The distinct sets of field types in order of appearance, and the index of each object's set. */
  readonly types: readonly FieldTypes[]
  readonly typesOf: Uint32Array
  /** Whether an id occurs twice. */
  readonly hasRepeated: boolean
  /** Properties of objects that deviate from `USUAL`, by the number of the object. */
  readonly special: ReadonlyMap<number, Special>
}

type Special = Pick<ImportedObject, 'hasId' | 'acl' | 'credentials' | 'identities' | 'notes'>

/** The properties of most objects. */
const USUAL: Special = {
  hasId: true,
  acl: aclColumns(null),
  credentials: null,
  identities: NO_IDENTITIES,
  notes: NO_NOTES,
}

const [BACKSLASH, TAB, NEWLINE] = [92, 9, 10]
/** Approximate bytes of a row. */
const USUAL_SIZE = 500

/** Packs objects one by one, and stores extra data only for unusual ones. */
export class ObjectPacker {
  readonly #rows: RowBuffer
  readonly #indexes: number[] = []
  readonly #types = new Map<FieldTypes, number>()
  readonly #typesOf: number[] = []
  readonly #ids = new Set<string>()
  readonly #special = new Map<number, Special>()

  /** @param size expected bytes of the rows */
  constructor(size: number) {
    this.#rows = new RowBuffer(size)
  }

  /** @param index the index of the object among the records */
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

/** @param objects each with its index among the records */
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

/** Returns the packed objects in order. */
export function unpackObjects({ rows, indexes, types, typesOf, special }: PackedObjects): ImportedObject[] {
  const bytes = Buffer.from(rows.buffer, rows.byteOffset, rows.length)
  let start = 0
  return Array.from(indexes, (_, number) => {
    const { hasId, acl, credentials, identities, notes } = special.get(number) ?? USUAL
    // Values in the text format of COPY contain no raw line breaks or tabs.
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
