import {
  Binary,
  BSONRegExp,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from 'bson'
import { describe, expect, it } from 'vitest'
import { checkBsonExtent } from './bson-extent.ts'

/** Values of all types, each encoded as an element named `a`. */
const VALUES = {
  number: new Double(1.5),
  text: 'text',
  object: { b: 1, c: { d: [] } },
  list: [1, [2], {}],
  bytes: new Binary(Buffer.alloc(5)),
  id: new ObjectId(),
  boolean: true,
  date: new Date(0),
  null: null,
  pattern: new BSONRegExp('a', 'i'),
  code: new Code('x'),
  'code with a scope': new Code('x', { y: [1] }),
  integer: new Int32(1),
  timestamp: new Timestamp(1n),
  long: new Long(1),
  decimal: Decimal128.fromString('1.5'),
  smallest: new MinKey(),
  largest: new MaxKey(),
  reference: new DBRef('Post', new ObjectId()),
}

function documentOf(elements: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(4), elements, Buffer.alloc(1)])
  bytes.writeInt32LE(bytes.length)
  return bytes
}

/** Returns elements named `0` with a value, as bytes. */
function elements(type: number, value: Buffer, count: number): Buffer {
  const element = Buffer.concat([Buffer.from([type, 0x30, 0]), value])
  return Buffer.alloc(element.length * count, element)
}

const MANY = 1_500_001
const EMPTY = Buffer.from([5, 0, 0, 0, 0])

describe('the extent of a BSON document', () => {
  it.each(Object.entries(VALUES))('skips a value of the type %s', (_, value) => {
    // Elements after the value are only counted if the value was skipped exactly to its end.
    const head = serialize({ a: value }).subarray(4, -1)
    const hostile = documentOf(Buffer.concat([head, elements(0x0a, Buffer.alloc(0), MANY)]))
    expect(() => checkBsonExtent(serialize({ a: value, b: 1 }) as Buffer)).not.toThrow()
    expect(() => checkBsonExtent(hostile)).toThrow('more than 1500000 values')
  })

  it.each([
    ['empty objects', 0x03, EMPTY],
    ['empty lists', 0x04, EMPTY],
    ['numbers', 0x10, Buffer.alloc(4)],
    ['empty texts', 0x02, Buffer.from([1, 0, 0, 0, 0])],
  ])('rejects too many %s at any depth', (_, type, value) => {
    const many = documentOf(elements(type, value, MANY))
    const within = documentOf(elements(0x04, many, 1))
    expect(() => checkBsonExtent(within)).toThrow('more than 1500000 values')
  })

  it('counts the elements of a scope', () => {
    const scope = documentOf(elements(0x0a, Buffer.alloc(0), MANY))
    const code = Buffer.from([2, 0, 0, 0, 0x78, 0])
    const value = Buffer.concat([Buffer.alloc(4), code, scope])
    value.writeInt32LE(value.length)
    expect(() => checkBsonExtent(documentOf(elements(0x0f, value, 1)))).toThrow('more than 1500000 values')
  })

  it('rejects documents nested too deeply', () => {
    let bytes: Buffer = EMPTY
    for (let depth = 0; depth < 1001; depth++) bytes = documentOf(elements(0x03, bytes, 1))
    expect(() => checkBsonExtent(bytes)).toThrow('nested more than 1000 levels deep')
  })

  it('terminates for damaged documents', () => {
    const complete = Buffer.from(serialize(VALUES))
    for (let at = 4; at < complete.length; at++) {
      for (const byte of [0, 1, 3, 4, 0x0f, 0x7f, 0x80, 0xff]) {
        const damaged = Buffer.from(complete)
        damaged[at] = byte
        expect(() => checkBsonExtent(damaged)).not.toThrow()
      }
    }
  })
})
