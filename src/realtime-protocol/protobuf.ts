import { isUtf8 } from 'node:buffer'
import protobuf, { type Reader, type Writer } from 'protobufjs/minimal.js'
import { checkRequired, type Field, type FieldTable, fieldNamed, type Members, misfit } from './field-tables.ts'

/** The wire types of Protocol Buffers that the tables use. */
const VARINT = 0
const DELIMITED = 2

/**
 * Maximum number of repeated parts in a command. An empty one costs its sender two bytes and the server fifty; no client needs
 * more of them.
 */
const MAX_PARTS = 500

/**
 * Decodes a message. Skips unknown fields, and known ones of another wire type. An unknown number of an enumeration counts as an
 * absent field, as in proto2.
 * @throws Error when the bytes are not a complete message of that kind
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

/** Decodes a value. @param before the earlier part of the same name, which a repeated occurrence extends */
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
      // A copy, because a view would keep the whole frame in memory.
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
 * Clamps a number to the safe integers. Clients send the maximum 64-bit number to mean the end of time; it has no exact value
 * here, and rounded up to 2^63 the database would reject it.
 */
function nearestExact(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}

/** Returns a view of the reader's bytes. */
function bytesOf(reader: Reader): Buffer {
  return reader.bytes() as Buffer
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Error('a text must be UTF-8')
  return bytes.toString()
}

/**
 * Encodes a message.
 * @throws Error when the message does not match the table
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
      // A lone surrogate would make a text that strict clients cannot decode.
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
