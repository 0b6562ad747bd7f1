import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { isClassName } from '../../values/names.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { isBson } from './bson.ts'
import { isTypedCsv } from './csv.ts'
import { classOfFile, relationOfFile, schemaPartOfFile } from './file-name.ts'
import type { FieldOfMembers, Form, HostedClass, Told } from './form.ts'
import { formOfHeader, isHeader } from './header.ts'
import { isLeftOut } from './left-out.ts'
import { otherPackingOf } from './other-packing.ts'

/** Bytes of a file by which it is recognised; a shorter one is read whole. */
const BEGINNING = 1024 * 1024
/** A list whose first element has a member that only messages have, as no field of an object has such a name. */
const FIRST_IS_MESSAGE = /^\[\s*\{\s*(?:"[\w-]+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,\s*)*"(?:msg-id|conv-id)"\s*:/

/**
 * What a file is, by its content. Which class it belongs to is told by its first line, by the user, or by its name.
 * @param told by the user, of this file alone
 */
export async function recognise(name: string, reader: ByteReader, told: Told): Promise<Form> {
  const beginning = await reader.peek(BEGINNING)
  if (beginning.length === 0 || isLeftOut(name)) return { form: 'nothing' }
  const isWhole = beginning.length < BEGINNING
  const packing = otherPackingOf(beginning)
  if (packing !== null)
    return { form: 'unknown', reason: `it is packed with ${packing}, which cannot be read: unpack it first` }
  if (isBson(beginning)) return ofRecords(name, told, 'bson')
  if (beginning.length >= 2 && /^(fffe|feff)$/.test(beginning.toString('hex', 0, 2)))
    return { form: 'unknown', reason: 'it is UTF-16; save it as UTF-8' }
  if (beginning.includes(0)) return { form: 'unknown', reason: 'it is neither text nor BSON' }
  const text = beginning.toString('utf8').replace(/^\ufeff/, '')
  // Empty lines, and comments of people.
  const firstLine = text.replace(/^(?:\s+|#(?!filetype:)[^\n]*(?:\n|$))+/, '').split('\n', 1)[0]!
  if (isHeader(firstLine)) return ofHeader(name, firstLine, told)
  if (text.startsWith('[') || text.startsWith('{')) return ofJson(name, text, isWhole, told)
  const trimmed = text.trimStart()
  if (trimmed.startsWith('[') || trimmed.startsWith('{')) return ofJson(name, trimmed, isWhole, told)
  if (trimmed === '') return { form: 'nothing' }
  if (isTypedCsv(firstLine.trim())) return ofRecords(name, told, 'csv')
  const relation = told.relation ?? relationOfFile(name)
  if (relation && firstLine.split(',').length === 2) return { form: 'member csv', of: relation }
  return { form: 'unknown', reason: 'it is none of the known forms' }
}

function ofHeader(name: string, line: string, told: Told): Form {
  const form = formOfHeader(line)
  if (form.form !== 'unknown') return form
  // Perhaps members of relations: the hosted service's form of them is not known.
  if (told.relation) return { form: 'member lines', of: told.relation }
  return told.className === undefined ? form : ofRecords(name, told, 'lines')
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
