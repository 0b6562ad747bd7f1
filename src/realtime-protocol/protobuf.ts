import { isUtf8 } from 'node:buffer'
import protobuf, { type Reader, type Writer } from 'protobufjs/minimal.js'
import { checkRequired, type Field, type FieldTable, fieldNamed, type Members, misfit } from './field-tables.ts'

/** The wire types of Protocol Buffers that our tables use. */
const VARINT = 0
const DELIMITED = 2

/**
 * How many parts a command may repeat. An empty one costs its sender two bytes and us fifty; no client has reason to
 * name so many things at once.
 */
const MAX_PARTS = 500

/**
 * Reads a message. Unknown fields, and known ones of another wire type, are skipped; an unknown number of an enumeration
 * counts as an absent field, as proto2 has it.
 * @throws Error when the bytes are no whole message of that kind
 */
export function readMessage(table: FieldTable, bytes: Buffer): Members {
  return readInto({}, table, bytes, { left: MAX_PARTS })
}

interface Budget {
  left: number
}

type Message = Record<string, unknown>

function readInto(message: Message, table: FieldTable, bytes: Buffer, parts: Budget): Message {
  const reader = protobuf.Reader.create(bytes)
  while (reader.pos < reader.len) {
    const tag = reader.tag()
    const [number, wireType] = [tag >>> 3, tag & 7]
    const field = table.byNumber.get(number)
    if (field && wireType === wireTypeOf(field)) readField(message, field, reader, parts)
    else reader.skipType(wireType, 0, number)
  }
  checkRequired(table, message)
  return message
}

function readField(message: Message, field: Field, reader: Reader, parts: Budget): void {
  const { name } = field
  const before = message[name]
  if (!field.repeated) {
    const value = readValue(field, reader, parts, before)
    if (value !== undefined) message[name] = value
  } else if (Array.isArray(before)) before.push(readValue(field, reader, parts))
  else message[name] = [readValue(field, reader, parts)]
}

/** @param before the part of that name that came earlier: a part that comes again adds to it */
function readValue(field: Field, reader: Reader, parts: Budget, before?: unknown): unknown {
  switch (field.kind) {
    case 'part':
      if (field.repeated && parts.left-- === 0) throw new Error('too many parts')
      return readInto((before as Message | undefined) ?? {}, field.table, bytesOf(reader), parts)
    case 'name':
      return field.names.names.get(reader.int32())
    case 'string':
      return textOf(bytesOf(reader))
    case 'bytes':
      // A copy: a view would keep all that came with it in memory.
      return Buffer.from(bytesOf(reader))
    case 'bool':
      return reader.bool()
    case 'int32':
      return reader.int32()
    case 'int64': {
      const { high, low } = reader.int64()
      return nearestExact(high * 2 ** 32 + (low >>> 0))
    }
  }
}

/**
 * Clients say the greatest number that they know when they mean the end of time; beyond 2^53 we know none that is exact,
 * and rounded up to 2^63 the database would not take it.
 */
function nearestExact(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}

/** A view of the reader's bytes. */
function bytesOf(reader: Reader): Buffer {
  return reader.bytes() as Buffer
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Error('a text is no UTF-8')
  return bytes.toString()
}

/**
 * Writes a message.
 * @throws Error when it is not what the table declares
 */
export function writeMessage(table: FieldTable, message: Members): Buffer {
  return writeFields(table, message, protobuf.Writer.create()).finish() as Buffer
}

function writeFields(table: FieldTable, message: Members, writer: Writer): Writer {
  checkRequired(table, message)
  for (const name of Object.keys(message)) {
    const value = message[name]
    if (value === undefined) continue
    const field = fieldNamed(table, name)
    if (!field.repeated) writeField(field, value, writer)
    else if (Array.isArray(value)) for (const item of value) writeField(field, item, writer)
    else throw misfit(field)
  }
  return writer
}

function writeField(field: Field, value: unknown, writer: Writer): void {
  writer.uint32((field.number << 3) | wireTypeOf(field))
  switch (field.kind) {
    case 'part':
      writeFields(field.table, value as Members, writer.fork()).ldelim()
      return
    case 'name': {
      const number = field.names.numbers.get(value as string)
      if (number === undefined) throw misfit(field)
      writer.int32(number)
      return
    }
    case 'string':
      if (typeof value !== 'string') throw misfit(field)
      // Half of a surrogate pair would make a text that strict clients do not read.
      writer.string(value.toWellFormed())
      return
    case 'bytes':
      if (!(value instanceof Uint8Array)) throw misfit(field)
      writer.bytes(value)
      return
    case 'bool':
      if (typeof value !== 'boolean') throw misfit(field)
      writer.bool(value)
      return
    case 'int32':
      if (typeof value !== 'number' || value !== (value | 0)) throw misfit(field)
      writer.int32(value)
      return
    case 'int64':
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw misfit(field)
      writer.int64(value)
  }
}

function wireTypeOf({ kind }: Field): number {
  return kind === 'string' || kind === 'bytes' || kind === 'part' ? DELIMITED : VARINT
}
