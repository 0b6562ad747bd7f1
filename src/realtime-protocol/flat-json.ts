import { isJsonObject, type Json, type JsonObject, member, parseJson } from '../values/json.ts'
import { checkRequired, type Field, type FieldTable, fieldNamed, type Members, misfit } from './field-tables.ts'
import { CommandName, GenericCommand } from './schema.ts'

/**
 * Parses a command from flat JSON: one object with the fields of the command's part and of the envelope (protocol/realtime, JSON
 * subprotocol (lc.json.3, C# LiveQuery)). Unknown members and null values are skipped.
 * @throws Error when the text is not such an object
 */
export function readFlat(text: string): Members {
  const flat = parseJson(text, 'The frame')
  if (!isJsonObject(flat)) throw new Error('the frame must be an object')
  const cmd = member(flat, 'cmd')
  if (typeof cmd !== 'string' || !CommandName.numbers.has(cmd)) throw new Error('unknown command')
  const command = readMembers(GenericCommand, flat)
  const part = partOf(cmd)
  if (!part) return command
  const values = cmd === 'data' ? { ...flat, msg: textsOf(member(flat, 'msg')) } : flat
  const body = readMembers(part.table, values)
  if (Object.keys(body).length > 0) {
    checkRequired(part.table, body)
    command[part.name] = body
  }
  return command
}

/** Returns the part of a command by its name; some commands have none. */
function partOf(cmd: string): (Field & { kind: 'part' }) | undefined {
  const field = GenericCommand.byName.get(`${cmd}Message`)
  return field?.kind === 'part' ? field : undefined
}

/** Converts events of live queries, which are objects in flat JSON and texts elsewhere. */
function textsOf(events: Json | undefined): Json {
  return Array.isArray(events) ? events.map((event) => ({ data: JSON.stringify(event) })) : null
}

function readMembers(table: FieldTable, members: JsonObject): Record<string, unknown> {
  const message: Record<string, unknown> = {}
  for (const field of table.byName.values()) {
    const given = member(members, field.name)
    if (given === undefined || given === null) continue
    if (!field.repeated) message[field.name] = readValue(field, given)
    else if (Array.isArray(given)) message[field.name] = given.map((item) => readValue(field, item))
    else throw misfit(field)
  }
  return message
}

function readValue(field: Field, given: Json): unknown {
  switch (field.kind) {
    case 'part': {
      if (!isJsonObject(given)) break
      const part = readMembers(field.table, given)
      checkRequired(field.table, part)
      return part
    }
    case 'name':
      if (typeof given !== 'string') break
      return field.names.numbers.has(given) ? given : undefined
    case 'string':
      if (typeof given === 'string') return given
      break
    case 'bytes':
      if (typeof given === 'string') return Buffer.from(given, 'base64')
      break
    case 'bool':
      if (typeof given === 'boolean') return given
      break
    case 'int32':
      if (typeof given === 'number' && given === (given | 0)) return given
      break
    case 'int64':
      if (Number.isSafeInteger(given)) return given
  }
  throw misfit(field)
}

/**
 * Encodes a command as flat JSON.
 * @throws Error when the command does not match the schema
 */
export function writeFlat(command: Members): string {
  const cmd = command.cmd as string
  const { [`${cmd}Message`]: body, ...envelope } = command
  const part = partOf(cmd)
  const flat = writeMembers(GenericCommand, envelope)
  if (part && body !== undefined) Object.assign(flat, writeMembers(part.table, body as Members))
  if (cmd === 'data' && flat.msg) flat.msg = objectsOf(flat.msg)
  // The only client of this format recognizes failures by this member.
  if (cmd === 'error') flat.error = { code: flat.code, reason: flat.reason, detail: flat.detail ?? flat.reason }
  return JSON.stringify(flat)
}

function objectsOf(events: unknown): unknown[] {
  return (events as readonly { data: string }[]).map(({ data }) => JSON.parse(data))
}

function writeMembers(table: FieldTable, message: Members): Record<string, unknown> {
  checkRequired(table, message)
  const members: Record<string, unknown> = {}
  for (const name of Object.keys(message)) {
    const value = message[name]
    if (value === undefined) continue
    const field = fieldNamed(table, name)
    members[name] = Array.isArray(value) ? value.map((item) => writeValue(field, item)) : writeValue(field, value)
  }
  return members
}

function writeValue(field: Field, value: unknown): unknown {
  if (field.kind === 'part') return writeMembers(field.table, value as Members)
  return field.kind === 'bytes' ? Buffer.from(value as Buffer).toString('base64') : value
}
