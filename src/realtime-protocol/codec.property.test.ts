import fc from 'fast-check'
import protobuf from 'protobufjs'
import { expect, it } from 'vitest'
import { runs } from '../../test/support/runs.ts'
import { decode, type Encoding, encode, UnparseableFrame } from './codec.ts'
import type { Field, FieldTable } from './field-tables.ts'
import { GenericCommand, JsonObjectMessage } from './schema.ts'

const cases = runs(3000)

/** Arbitrary values of a table, with and without each optional field. */
function valuesOf(table: FieldTable): fc.Arbitrary<Record<string, unknown>> {
  const members = [...table.byName.values()].map((field) => [field.name, heldBy(field)] as const)
  return fc.record(Object.fromEntries(members), { requiredKeys: [...table.required] })
}

function heldBy(field: Field): fc.Arbitrary<unknown> {
  return field.repeated ? fc.array(oneHeldBy(field), { minLength: 1, maxLength: 3 }) : oneHeldBy(field)
}

function oneHeldBy(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'part':
      return field.table === JsonObjectMessage ? fc.record({ data: fc.json() }) : valuesOf(field.table)
    case 'name':
      return fc.constantFrom(...field.names.names.values())
    case 'string':
      return fc.string({ unit: 'binary', maxLength: 20 })
    case 'bytes':
      return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes))
    case 'bool':
      return fc.boolean()
    case 'int32':
      return fc.integer()
    case 'int64':
      return fc.maxSafeInteger()
  }
}

const [envelope, parts] = [new Map<string, Field>(), new Map<string, Field>()]
for (const field of GenericCommand.byName.values()) {
  if (field.kind === 'part') parts.set(field.name, field)
  else if (field.name !== 'cmd') envelope.set(field.name, field)
}

/** Arbitrary commands of a kind, with its part. */
function commandOf(cmd: GenericCommand['cmd']): fc.Arbitrary<GenericCommand> {
  const part = parts.get(`${cmd}Message`)
  const members = [...envelope.values(), ...(part ? [part] : [])].map((field) => [field.name, heldBy(field)] as const)
  const rest = fc.record(Object.fromEntries(members), { requiredKeys: [] })
  return rest.map((values) => ({ cmd, ...values }) as GenericCommand)
}

const kinds = GenericCommand.declared.cmd[1].names.values()
const command = fc.oneof(...[...kinds].map(commandOf))

it.each<Encoding>(['protobuf', 'base64'])('decodes any command to the encoded one with %s', (encoding) => {
  fc.assert(
    fc.property(command, (any) => {
      expect(decode(encode(any, encoding), encoding)).toEqual(any)
    }),
    cases,
  )
})

it('decodes any command to the encoded one with flat JSON, except for parts without fields', () => {
  const withoutEmptyPart = command.filter((any) => {
    const part = (any as Record<string, unknown>)[`${any.cmd}Message`]
    return part === undefined || Object.keys(part as object).length > 0
  })
  fc.assert(
    fc.property(withoutEmptyPart, (any) => {
      expect(decode(encode(any, 'json'), 'json')).toEqual(any)
    }),
    cases,
  )
})

/** What the library itself decodes with the same tables: a reference for malformed frames. */
const reference = typeOf('GenericCommand', GenericCommand)

function typeOf(name: string, table: FieldTable): protobuf.Type {
  const type = new protobuf.Type(name)
  for (const field of table.byName.values()) {
    const rule = field.repeated ? 'repeated' : table.required.includes(field.name) ? 'required' : 'optional'
    const kind = field.kind === 'part' || field.kind === 'name' ? `Of_${field.name}` : field.kind
    if (field.kind === 'part') type.add(typeOf(kind, field.table))
    if (field.kind === 'name') type.add(new protobuf.Enum(kind, Object.fromEntries(field.names.numbers)))
    type.add(new protobuf.Field(field.name, field.number, kind, rule))
  }
  return type
}

new protobuf.Root().add(reference).resolveAll()

function readByReference(bytes: Buffer): object | null {
  try {
    return withExactNumbers(
      reference.toObject(reference.decode(bytes), { enums: String, longs: Number, bytes: Buffer }),
    )
  } catch {
    return null
  }
}

/** The one difference: beyond 2^53 our decoder returns the nearest exact number. */
function withExactNumbers<Value>(value: Value): Value {
  if (typeof value === 'number')
    return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER) as Value
  if (Array.isArray(value)) return value.map(withExactNumbers) as Value
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withExactNumbers(item)])) as Value
}

/** Bytes overwritten, removed or inserted. */
const damage = fc.oneof(
  fc.record({ at: fc.nat(), drop: fc.constant(1), put: fc.uint8Array({ minLength: 1, maxLength: 1 }) }),
  fc.record({ at: fc.nat(), drop: fc.nat(4), put: fc.uint8Array({ maxLength: 4 }) }),
)

const damagedFrame = fc.tuple(command, fc.array(damage, { minLength: 1, maxLength: 3 })).map(([any, damages]) => {
  let frame = encode(any, 'protobuf')
  for (const { at, drop, put } of damages) {
    const start = frame.length === 0 ? 0 : at % frame.length
    frame = Buffer.concat([frame.subarray(0, start), put, frame.subarray(start + drop)])
  }
  return frame
})

const anyBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))

it('decodes damaged frames and random bytes like the library, or rejects them', () => {
  let read = 0
  fc.assert(
    fc.property(fc.oneof(damagedFrame, anyBytes), (frame) => {
      const expected = readByReference(frame)
      const actual = readOrRefuse(frame, 'protobuf')
      if (!actual) return
      read++
      expect(actual).toEqual(expected)
    }),
    cases,
  )
  // The average is 130, with a deviation of 10: fewer than this would be significant.
  expect(read).toBeGreaterThan(50)
})

it('rejects frames that the library decodes only for a text that is not UTF-8', () => {
  fc.assert(
    fc.property(fc.oneof(damagedFrame, anyBytes), (frame) => {
      if (!readByReference(frame) || readOrRefuse(frame, 'protobuf')) return
      expect(() => decode(frame, 'protobuf')).toThrow('a text must be UTF-8')
    }),
    cases,
  )
})

it('rejects a truncated frame, or decodes the part that is complete', () => {
  fc.assert(
    fc.property(command, fc.nat(), (any, end) => {
      const frame = encode(any, 'protobuf')
      const cut = frame.subarray(0, end % Math.max(1, frame.length))
      expect(readOrRefuse(cut, 'protobuf')).toEqual(readByReference(cut))
    }),
    cases,
  )
})

it('decodes any text to a command or rejects it', () => {
  const jsonLike = fc.tuple(command, fc.json()).map(([any, json]) => `${encode(any, 'json').slice(0, -1)},"m":${json}}`)
  const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.base64String(), jsonLike)
  fc.assert(
    fc.property(texts, fc.constantFrom<Encoding>('protobuf', 'base64', 'json'), (text, encoding) => {
      const read = readOrRefuse(text, encoding)
      if (read) expect(decode(encode(read, encoding), encoding)).toEqual(read)
    }),
    cases,
  )
})

/** @throws errors other than a rejection */
function readOrRefuse(frame: Buffer | string, encoding: Encoding): GenericCommand | null {
  try {
    return decode(frame, encoding)
  } catch (error) {
    if (error instanceof UnparseableFrame) return null
    throw error
  }
}
