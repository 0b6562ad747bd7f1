import type { Encoding } from '../../src/realtime-protocol/codec.ts'
import type { Field, FieldTable } from '../../src/realtime-protocol/field-tables.ts'
import { GenericCommand } from '../../src/realtime-protocol/schema.ts'

/**
 * A command from a hostile client: fields of the schema with values that the server's own encoder rejects, such as 64-bit
 * numbers beyond 2^53 and unknown enumeration numbers.
 */
export interface WireMessage {
  readonly [field: string]: WireValue
}
export type WireValue = string | number | bigint | boolean | Buffer | readonly WireValue[] | WireMessage

/** Encodes a command without validation. */
export function frameOf(command: WireMessage, encoding: Encoding): Buffer | string {
  switch (encoding) {
    case 'protobuf':
      return messageBytes(GenericCommand, command)
    case 'base64':
      return messageBytes(GenericCommand, command).toString('base64')
    case 'json':
      return flatText(command)
  }
}

function messageBytes(table: FieldTable, message: WireMessage): Buffer {
  const parts = Object.entries(message).flatMap(([name, value]) => {
    const field = table.byName.get(name)!
    return (Array.isArray(value) ? value : [value]).map((item: WireValue) => fieldBytes(field, item))
  })
  return Buffer.concat(parts)
}

function fieldBytes(field: Field, value: WireValue): Buffer {
  const content = contentOf(field, value)
  const tag = (wireType: number) => varint(BigInt(field.number * 8 + wireType))
  if (typeof content === 'bigint') return Buffer.concat([tag(0), varint(content)])
  return Buffer.concat([tag(2), varint(BigInt(content.length)), content])
}

function contentOf(field: Field, value: WireValue): Buffer | bigint {
  if (field.kind === 'part') return messageBytes(field.table, value as WireMessage)
  if (field.kind === 'name' && typeof value === 'string') return BigInt(field.names.numbers.get(value)!)
  if (Buffer.isBuffer(value)) return value
  return typeof value === 'string' ? Buffer.from(value) : BigInt(value as number | bigint | boolean)
}

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

/**
 * Encodes a command as flat text: members of its part are merged into the envelope (protocol/realtime, JSON subprotocol
 * (lc.json.3, C# LiveQuery)).
 */
function flatText(command: WireMessage): string {
  const { [`${command.cmd}Message`]: part = {}, ...envelope } = command
  // Numbers are replaced where JSON has names.
  const named = typeof envelope.op === 'number' ? { ...envelope, op: `operation ${envelope.op}` } : envelope
  return JSON.stringify(flatValue({ ...(part as WireMessage), ...named }))
}

function flatValue(value: WireValue): unknown {
  if (Buffer.isBuffer(value)) return value.toString('base64')
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(flatValue)
  if (typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, flatValue(item)]))
}
