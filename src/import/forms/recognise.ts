import { MOVED_TABLES } from '../../messaging/moved-tables.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { isClassName } from '../../values/names.ts'
import { BOARDS, INBOXES } from '../batch.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { isBson } from './bson.ts'
import { isTypedCsv } from './csv.ts'
import { classOfFile, relationOfFile, schemaPartOfFile } from './file-name.ts'
import type { FieldOfMembers, Form, HostedClass, Told } from './form.ts'

/** Bytes of a file by which it is recognised; a shorter one is read whole. */
const BEGINNING = 1024 * 1024
/** Files that systems put beside others, and into archives. */
const HIDDEN = /(^|\/)(__MACOSX\/|\.[^/]*$)/
/** What the first line of an export begins with (protocol/moving-in, JSON export). */
const COMMENT = /^#filetype:JSON-streaming\s+(\{.*\})\s*$/

/** A list whose first element has a member that only messages have, as no field of an object has such a name. */
const FIRST_IS_MESSAGE = /^\[\s*\{\s*(?:"[\w-]+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,\s*)*"(?:msg-id|conv-id)"\s*:/

/**
 * What a file is, by its content. Which class it belongs to is told by its first line, by the user, or by its name.
 * @param told by the user, of this file alone
 */
export async function recognise(name: string, reader: ByteReader, told: Told): Promise<Form> {
  const beginning = await reader.peek(BEGINNING)
  if (beginning.length === 0 || HIDDEN.test(name)) return { form: 'nothing' }
  const isWhole = beginning.length < BEGINNING
  if (isBson(beginning)) return ofRecords(name, told, 'bson')
  if (beginning.length >= 2 && /^(fffe|feff)$/.test(beginning.toString('hex', 0, 2)))
    return { form: 'unknown', reason: 'it is UTF-16; save it as UTF-8' }
  if (beginning.includes(0)) return { form: 'unknown', reason: 'it is neither text nor BSON' }
  const text = beginning.toString('utf8').replace(/^\ufeff/, '')
  const [firstLine = ''] = text.split('\n', 1)
  const comment = COMMENT.exec(firstLine.trim())
  if (comment) return ofComment(name, comment[1]!, told)
  if (text.startsWith('[') || text.startsWith('{')) return ofJson(name, text, isWhole, told)
  const trimmed = text.trimStart()
  if (trimmed.startsWith('[') || trimmed.startsWith('{')) return ofJson(name, trimmed, isWhole, told)
  if (trimmed === '') return { form: 'nothing' }
  if (isTypedCsv(firstLine.trim())) return ofRecords(name, told, 'csv')
  const relation = told.relation ?? relationOfFile(name)
  if (relation && firstLine.split(',').length === 2) return { form: 'member csv', of: relation }
  return { form: 'unknown', reason: 'it is none of the known forms' }
}

function ofComment(name: string, json: string, told: Told): Form {
  const said = parsed(json)
  if (isJsonObject(said) && said.type === 'Rejected') return { form: 'rejected' }
  if (isJsonObject(said) && said.type === 'Class' && typeof said.class === 'string')
    return withClass('lines', said.class)
  const relation = isJsonObject(said) && said.type === 'Relation' ? relationOfComment(said) : null
  if (relation) return { form: 'member lines', of: relation }
  if (isJsonObject(said) && said.type === 'Files') return { form: 'files' }
  if (isJsonObject(said) && said.type === 'Messaging') {
    const table = MOVED_TABLES.find((one) => one === said.of)
    if (table) return { form: 'messaging lines', of: { className: `messaging-${table}` } }
  }
  if (isJsonObject(said) && said.type === 'Leaderboards') return { form: 'board lines', of: { className: BOARDS } }
  if (isJsonObject(said) && said.type === 'Inboxes') return { form: 'inbox lines', of: { className: INBOXES } }
  const version = isJsonObject(said) && said.type === 'Statistics' ? versionOfComment(said) : null
  if (version) return { form: 'statistic lines', of: version }
  // Perhaps members of relations: the hosted service's form of them is not known.
  if (told.relation) return { form: 'member lines', of: told.relation }
  if (told.className !== undefined) return ofRecords(name, told, 'lines')
  return { form: 'unknown', reason: `its first line says ${json.slice(0, 200)}, which is not known` }
}

/** The first line of a file of our own export (docs/moving-in.md, The way out). */
function relationOfComment({ class: className, field, target }: JsonObject): FieldOfMembers | null {
  if (typeof className !== 'string' || typeof field !== 'string' || typeof target !== 'string') return null
  return isClassName(className) && isClassName(target) ? { className, field, targetClass: target } : null
}

function versionOfComment({ board, version, memberType }: JsonObject) {
  if (typeof board !== 'string' || !/^[\w-]{1,100}$/.test(board)) return null
  if (typeof memberType !== 'string' || !isClassName(memberType)) return null
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 0 || version >= 2 ** 31) return null
  return { board, version, className: memberType }
}

function ofJson(name: string, text: string, isWhole: boolean, told: Told): Form {
  const whole = isWhole ? parsed(text) : undefined
  const schema = whole === undefined ? null : schemaOf(name, whole)
  if (schema) return { form: 'schema', classes: schema }
  if (isWhole && /\.metadata\.json$/.test(name)) return { form: 'nothing' }
  if (isJsonObject(whole) && whole.homeport === 'export') return { form: 'nothing' }
  if (text.startsWith('['))
    return FIRST_IS_MESSAGE.test(text) ? messagesAs('messaging array') : ofRecords(name, told, 'array')
  const first = parsed(text.split('\n', 1)[0]!)
  if (isResults(whole) || (!isJsonObject(first) && /"results"\s*:\s*\[/.test(text)))
    return ofRecords(name, told, 'array')
  if (isJsonObject(first)) {
    if ('msg-id' in first && 'conv-id' in first && 'timestamp' in first) return messagesAs('messaging lines')
    const isMember = 'owningId' in first && 'relatedId' in first
    return isMember ? ofMembers(name, told, 'member lines') : ofRecords(name, told, 'lines')
  }
  // The first of many lines may be damaged, or longer than what was looked at.
  if (/^\{[^\n]*(\n\s*\{|$)/.test(text) && whole === undefined) return ofRecords(name, told, 'lines')
  return { form: 'unknown', reason: 'it is one JSON object, neither lines of them, a list, nor `results`' }
}

/** Items of histories that somebody has kept (protocol/moving-in, Chat history). */
function messagesAs(form: 'messaging lines' | 'messaging array'): Form {
  return { form, of: { className: 'messaging-messages' } }
}

function ofRecords(name: string, told: Told, form: 'lines' | 'array' | 'csv' | 'bson'): Form {
  const relation = told.relation ?? relationOfFile(name)
  if (relation && form === 'bson') return { form: 'member bson', of: relation }
  if (relation && form === 'lines') return { form: 'member lines', of: relation }
  return withClass(form, told.className ?? classOfFile(name))
}

function ofMembers(name: string, told: Told, form: 'member lines'): Form {
  const relation: FieldOfMembers | null = told.relation ?? relationOfFile(name)
  return relation
    ? { form, of: relation }
    : { form: 'unknown', reason: 'it holds members of a relation; say of which with --relation <Class>.<field>' }
}

function withClass(form: 'lines' | 'array' | 'csv' | 'bson', className: string | null): Form {
  if (className !== null && isClassName(className)) return { form, of: { className } }
  return { form: 'unknown', reason: 'its name says no class; say it with --class <Class>' }
}

function isResults(value: Json | undefined): boolean {
  return isJsonObject(value) && Array.isArray(value.results)
}

/** What a file says of classes; null when it is no schema. */
function schemaOf(name: string, content: Json): { [className: string]: HostedClass } | null {
  const named = schemaPartOfFile(name)
  if (named) {
    const { className, part } = named
    const wrapped = isJsonObject(content) && part !== 'all' ? content[part] : undefined
    const isWrapped = Array.isArray(wrapped) || (isJsonObject(wrapped) && typeof wrapped.type !== 'string')
    if (part === 'all' || isWrapped) return isJsonObject(content) ? { [className]: content as HostedClass } : null
    return { [className]: { [part]: content } }
  }
  return isListing(content)
    ? Object.fromEntries(Object.entries(content).map(([key, schema]) => [key, { schema: schema as JsonObject }]))
    : null
}

/** Whether it is the answer of GET /1.1/schemas, which is the `schema.json` of our own export too. */
function isListing(content: Json): content is JsonObject {
  if (!isJsonObject(content)) return false
  const classes = Object.entries(content)
  return (
    classes.length > 0 &&
    classes.every(
      ([name, fields]) =>
        isClassName(name) &&
        isJsonObject(fields) &&
        Object.keys(fields).length > 0 &&
        Object.values(fields).every((field) => isJsonObject(field) && typeof field.type === 'string'),
    )
  )
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
