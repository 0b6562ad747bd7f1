import { firstOf, notice } from '../../notices/notice.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { isClassName } from '../../values/names.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { isBson } from './bson.ts'
import { isHeadOfMembers, isTypedCsv } from './csv.ts'
import { classOfFile, relationOfFile, schemaPartOfFile } from './file-name.ts'
import type { Form, FormOptions, HostedClass } from './form.ts'
import { contentOf, formOfHeader } from './header.ts'
import { isHeader } from './header-line.ts'
import { ElementScanner, ROOT_OR_RESULTS } from './json-elements.ts'
import { firstValueOf } from './json-sequence.ts'
import { type JsonShape, shapeOf, shapeOfText } from './json-shape.ts'
import { isLeftOut } from './left-out.ts'
import { formOfList } from './lists.ts'
import { otherPackingOf } from './other-packing.ts'
import { jsonOfFile } from './parse-json.ts'
import { isWholeClass } from './whole-class.ts'

/** Bytes of a file that are inspected to recognize it. Shorter files are read completely. */
const BEGINNING = 1024 * 1024
/** Matches a list whose first element has a member that only messages have. No field of an object has such a name. */
const FIRST_IS_MESSAGE = /^\[\s*\{\s*(?:"[\w-]+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,\s*)*"(?:msg-id|conv-id)"\s*:/

/** Matches empty lines and comments. Spaces before a header belong to it. */
const SKIPPED = /^(?:[\s\u200b-\u200d\u2060]+|#(?!\s*filetype\s*:)[^\n]*(?:\n|$))+/i
/** Matches these and commas between values. */
const SKIPPED_BETWEEN = /^(?:[\s,\u200b-\u200d\u2060]+|#(?!\s*filetype\s*:)[^\n]*(?:\n|$))+/i

const UNTYPED_CSV = notice('csvWithoutTypes')

/**
 * Recognizes the form of a file by its content. The class is taken from the first line, from the options of the user, or from the
 * file name.
 * @param options the options of the user for this file
 */
export async function recognise(name: string, reader: ByteReader, options: FormOptions): Promise<Form> {
  const beginning = await reader.peek(BEGINNING)
  if (beginning.length === 0 || isLeftOut(name)) return { form: 'nothing' }
  const isComplete = beginning.length < BEGINNING
  const packing = otherPackingOf(beginning)
  if (packing !== null) return { form: 'unknown', reason: notice('packingUnknown', { packing }) }
  if (isBson(beginning)) return ofRecords(name, options, 'bson')
  if (beginning.length >= 2 && /^(fffe|feff)$/.test(beginning.toString('hex', 0, 2)))
    return { form: 'unknown', reason: notice('fileIsUtf16') }
  if (beginning.includes(0)) return { form: 'unknown', reason: notice('fileIsBinary') }
  const text = beginning.toString('utf8').replace(/^\ufeff/, '')
  // Empty lines and comments are skipped.
  const firstLine = text.replace(SKIPPED, '').split('\n', 1)[0]!
  if (isHeader(firstLine)) return ofHeader(name, firstLine, options)
  const trimmed = text.trimStart()
  if (trimmed.startsWith('[')) return ofList(name, trimmed, isComplete, options)
  if (trimmed.startsWith('{')) return ofObject(name, trimmed, { beginning, isComplete, reader }, options)
  if (trimmed === '') return { form: 'nothing' }
  // Classic Mac OS ends lines with a carriage return alone.
  const firstRow = firstLine.split('\r', 1)[0]!.trim()
  if (isTypedCsv(firstRow)) return ofRecords(name, options, 'csv')
  const relation = options.relation ?? (options.className === undefined ? relationOfFile(name) : null)
  if (relation && (firstRow.split(',').length === 2 || isHeadOfMembers(firstRow)))
    return { form: 'member csv', of: relation }
  if (/\.csv$/i.test(name)) return { form: 'unknown', reason: UNTYPED_CSV }
  return { form: 'unknown', reason: notice('fileFormUnknown') }
}

/** An option of the user replaces the class or relation that the header names; it cannot replace other content. */
function ofHeader(name: string, line: string, options: FormOptions): Form {
  const form = formOfHeader(line)
  const { className, relation } = options
  if (className === undefined && !relation) return form
  // It may contain members of relations, because the hosted service's form of these is not known.
  if (form.form === 'unknown') return ofRecords(name, options, 'lines')
  const content = contentOf(form)
  const isReplaceable = form.form === 'lines' || form.form === 'member lines'
  if (isReplaceable && content === givenContent(options)) return form
  // The objects of a built-in class contain values that other classes would show to everyone.
  if (!isReplaceable || content.startsWith('_'))
    return { form: 'unknown', reason: notice('optionNotForFile', { content }) }
  return { ...ofRecords(name, options, 'lines'), replaced: content } as Form
}

/** Returns the name of the class or relation that the user gave. */
function givenContent({ className, relation }: FormOptions): string | undefined {
  return relation ? `${relation.className}.${relation.field}` : className
}

function ofList(name: string, text: string, isComplete: boolean, options: FormOptions): Form {
  const schema = isComplete ? schemaIn(name, text) : null
  if (schema) return schema
  const isGiven = options.className !== undefined || options.relation !== undefined
  if (FIRST_IS_MESSAGE.test(text) && !isGiven) return messagesAs('messaging array')
  return ofElements(name, options, 'array', firstElementOf(text))
}

interface Content {
  readonly beginning: Buffer
  /** Whether `beginning` is the complete file. */
  readonly isComplete: boolean
  readonly reader: ByteReader
}

/** Recognizes a text that begins with an object: lines, consecutive values, a page of a query, lists, or a single object. */
async function ofObject(name: string, text: string, content: Content, options: FormOptions): Promise<Form> {
  const { beginning, isComplete, reader } = content
  const schema = isComplete ? schemaIn(name, text) : null
  if (schema) return schema
  const firstLine = text.split('\n', 1)[0]!
  const first = parsed(firstLine)
  const rest = text.slice(firstLine.length).replace(SKIPPED_BETWEEN, '')
  // The common case, which needs no further inspection.
  const isFirstOfLines = isJsonObject(first) && rest !== '' && !isHeader(rest.split('\n', 1)[0]!)
  if (isFirstOfLines && !isPage(first) && !areLists(first)) return ofElements(name, options, 'lines', first)
  const shape = isComplete ? shapeOfText(beginning) : await shapeOf(reader)
  const sample = parsed(firstValueOf(beginning) ?? '')
  if (hasResults(shape))
    return ofElements(name, options, 'array', firstElementOf(text.slice(text.indexOf('"results"'))))
  const isOfLines = /\.(jsonl|ndjson)$/i.test(name)
  if (shape.isSeveral) {
    const isOfLists =
      options.className === undefined && !options.relation && !isOfLines && listsIn(shape, options) !== null
    if (isOfLists) return { form: 'unknown', reason: notice('fileIsSeveralListObjects') }
    return ofElements(name, options, areLines(shape) ? 'lines' : 'sequence', sample)
  }
  // The first of many lines may be damaged.
  if (shape.isSeveral === null && (isOfLines || /^\{[^\n]*\n\s*\{/.test(text))) return ofRecords(name, options, 'lines')
  const lists = listsIn(shape, options)
  if (lists) return lists
  const isSpecified = options.className !== undefined || options.relation !== undefined || relationOfFile(name) !== null
  if (isSpecified || isOfLines || isMessage(sample) || isMember(sample))
    return ofElements(name, options, shape.hasLines ? 'sequence' : 'lines', sample)
  return { form: 'unknown', reason: LONE_OBJECT }
}

const LONE_OBJECT = notice('fileIsSingleObject')

/** Maximum names in a message. */
const MAX_SHOWN = 5

/** Returns whether all members of an object are lists of objects, as in a file of lists by class. */
function areLists(value: JsonObject): boolean {
  const members = Object.values(value)
  return members.length > 0 && members.every((one) => Array.isArray(one) && one.every(isJsonObject))
}

/** Members of a page of a query. */
const OF_PAGE = new Set(['results', 'count', 'cursor', 'className'])

function isPage(value: JsonObject): boolean {
  return (
    Array.isArray(value.results) &&
    value.results.every(isJsonObject) &&
    Object.keys(value).every((one) => OF_PAGE.has(one))
  )
}

/**
 * Returns whether the text is a single object with a list `results`, or consecutive pages. Objects of a class may also have such
 * a field.
 */
function hasResults({ isSeveral, members }: JsonShape): boolean {
  const results = members.get('results')
  if (isSeveral) return results === 'objects' && [...members.keys()].every((one) => OF_PAGE.has(one))
  return results === 'objects' || results === 'list'
}

function areLines({ hasLines, endsLine }: JsonShape): boolean {
  return !hasLines && endsLine
}

/** Recognizes lists of objects by class, or those of a Waline backup, which are in its member `data`; null for another object. */
function listsIn({ members, data }: JsonShape, options: FormOptions): Form | null {
  const isBackup = members.get('data') === 'object' && members.has('type') && members.has('tables')
  const lists = isBackup ? data : members
  if (lists.size === 0 || [...lists.values()].some((kind) => kind !== 'objects')) return null
  if (options.relation) return { form: 'unknown', reason: notice('fileIsListsNotMembers') }
  const names = [...lists.keys()]
  if (options.className !== undefined) {
    const content = firstOf(names, MAX_SHOWN)
    return { form: 'unknown', reason: notice('optionNotForFile', { content }) }
  }
  const other = names.find((one) => !formOfList(one))
  if (other !== undefined) return { form: 'unknown', reason: notice('listNameInvalid', { name: other.slice(0, 100) }) }
  return { form: 'lists', within: isBackup ? 'data' : null, names }
}

/** Returns the first element of the first list in a text; undefined when the text ends within it. */
function firstElementOf(text: string): Json | undefined {
  const start = text.indexOf('[')
  const [first] = start < 0 ? [] : new ElementScanner(ROOT_OR_RESULTS).scan(Buffer.from(text.slice(start)))
  return first && parsed(first.text)
}

function isMessage(value: Json | undefined): boolean {
  return isJsonObject(value) && 'msg-id' in value && 'conv-id' in value && 'timestamp' in value
}

function isMember(value: Json | undefined): boolean {
  return isJsonObject(value) && 'owningId' in value && 'relatedId' in value
}

/** Returns the form of saved message histories (protocol/moving-in, Chat history). */
function messagesAs(form: 'messaging lines' | 'messaging array' | 'messaging sequence'): Form {
  return { form, of: { className: 'messaging-messages' } }
}

/** @param sample the first element; undefined when it is damaged or too long to inspect */
function ofElements(
  name: string,
  options: FormOptions,
  form: 'lines' | 'array' | 'sequence',
  sample: Json | undefined,
): Form {
  const isGiven = options.className !== undefined || options.relation !== undefined
  if (isMessage(sample)) {
    // No field of an object has the name of a member of messages.
    return isGiven
      ? { form: 'unknown', reason: notice('optionNotForFile', { content: notice('contentMessages') }) }
      : messagesAs(`messaging ${form}`)
  }
  if (!isMember(sample) || isGiven || relationOfFile(name)) return ofRecords(name, options, form)
  return { form: 'unknown', reason: notice('relationNotNamed') }
}

function ofRecords(name: string, options: FormOptions, form: 'lines' | 'array' | 'sequence' | 'csv' | 'bson'): Form {
  const relation = options.relation ?? (options.className === undefined ? relationOfFile(name) : null)
  if (relation) return { form: form === 'csv' ? 'member typed csv' : `member ${form}`, of: relation }
  const className = options.className ?? classOfFile(name)
  if (className !== null && isClassName(className)) return { form, of: { className } }
  return { form: 'unknown', reason: notice('classNotNamed') }
}

/** Recognizes a schema, or a file that describes other files. */
function schemaIn(name: string, text: string): Form | null {
  const value = parsed(text)
  const schema = value === undefined ? null : schemaOf(name, value)
  if (schema) return { form: 'schema', classes: schema }
  const isOfOthers = /\.metadata\.json$/.test(name) || (isJsonObject(value) && value.homeport === 'export')
  return isOfOthers ? { form: 'nothing' } : null
}

/** Returns the class descriptions in a file; null when it is not a schema. */
function schemaOf(name: string, content: Json): { [className: string]: HostedClass } | null {
  const named = schemaPartOfFile(name)
  if (named) {
    const { className, part } = named
    const wrapped = isJsonObject(content) && part !== 'all' ? content[part] : undefined
    const isWrapped = Array.isArray(wrapped) || (isJsonObject(wrapped) && typeof wrapped.type !== 'string')
    if (part === 'all' || isWrapped) return isJsonObject(content) ? { [className]: content as HostedClass } : null
    return { [className]: { [part]: content } }
  }
  const className = /\.json$/i.test(name) ? classOfFile(name) : null
  if (className !== null && isWholeClass(content)) return { [className]: content }
  return isListing(content)
    ? Object.fromEntries(Object.entries(content).map(([key, schema]) => [key, { schema: schema as JsonObject }]))
    : null
}

/** Returns whether the content is a response of GET /1.1/schemas. The `schema.json` of our own export has this form too. */
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
    return jsonOfFile(text)
  } catch {
    return undefined
  }
}
