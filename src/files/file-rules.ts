import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { Changes, FieldChange } from '../objects/operations/operation.ts'
import type { ClassRules } from '../objects/store.ts'
import type { Json } from '../values/json.ts'
import { typeOfValue } from '../values/typed.ts'
import { DEFAULT_MIME_TYPE } from './mime-type.ts'

const DEFAULT_NAME = 'file'
const MAX_URL_LENGTH = 2000

/** Fields that locate the bytes of a file. Clients cannot set them. */
const LOCATION_FIELDS: readonly string[] = ['key', 'bucket', 'provider']

export interface FileRulesOptions {
  /** Returns the URL at which the caller can download a key. */
  urlOf(key: string, caller: Caller): string
  /** Called after records were created or deleted. */
  changed(): void
}

/**
 * Returns the special rules of `_File`: a record is created for an external URL or by an upload, and never changed
 * (protocol/files, File record). The Go SDK creates records with a name and no URL.
 */
export function fileRules({ urlOf, changed }: FileRulesOptions): ClassRules {
  return { create, update, show: (object, caller) => showUrl(object, caller, urlOf), changed }
}

/** Sets the URL of a stored file at read time, because the server's address may have changed (protocol/files, File record). */
function showUrl(object: { [name: string]: Json }, caller: Caller, urlOf: FileRulesOptions['urlOf']): void {
  if (object.url === undefined && typeof object.key === 'string') object.url = urlOf(object.key, caller)
}

function create(given: Changes, caller: Caller): Changes {
  const changes = withoutAbsent(given, caller.master ? [] : LOCATION_FIELDS)
  const url = setValue(changes, 'url')
  if (url === undefined) checkHasNoContent(changes)
  else if (!isWebAddress(url)) throw errors.badArgument("'url' of a file record must be an http or https URL.")
  for (const key of ['name', 'mime_type']) {
    const value = setValue(changes, key)
    if (value !== undefined && typeof value !== 'string')
      throw errors.incorrectType(`'${key}' of a file record must be a string.`)
  }
  const added: FieldChange[] = []
  if (setValue(changes, 'mime_type') === undefined) added.push(setting('mime_type', DEFAULT_MIME_TYPE))
  if (setValue(changes, 'name') === undefined) added.push(setting('name', nameFromUrl(url)))
  return { ...changes, fields: [...changes.fields, ...added] }
}

function update(): void {
  throw errors.notAllowedForClients('A file record cannot be changed; create another one.')
}

/**
 * Returns the changes without empty values: the Python and PHP SDKs send null for an unknown `mime_type`, and PHP sends an empty
 * list for an empty `metaData` (protocol/files, External files).
 * @param unheard fields to drop regardless of their value
 */
function withoutAbsent(changes: Changes, unheard: readonly string[]): Changes {
  const absent = changes.fields.flatMap(({ path }) => (setValue(changes, path[0]!) === null ? [path[0]!] : []))
  const metaData = setValue(changes, 'metaData')
  const fields = changes.fields.filter(({ path }) => !absent.includes(path[0]!) && !unheard.includes(path[0]!))
  if (!Array.isArray(metaData) || metaData.length > 0) return { ...changes, fields }
  return {
    ...changes,
    fields: fields.map((field) => (field.path[0] === 'metaData' ? setting('metaData', {}) : field)),
    types: new Map(changes.types).set('metaData', typeOfValue({})!),
  }
}

/** Checks that a record without a URL has a name and no bytes. @throws ApiError 1 */
function checkHasNoContent(changes: Changes): void {
  if (typeof setValue(changes, 'name') === 'string' && setValue(changes, 'base64') === undefined) return
  throw errors.badArgument(
    "A file record needs 'url', an http or https URL. Upload bytes with POST /1.1/fileTokens or POST /1.1/files/<name>.",
  )
}

function isWebAddress(url: Json): url is string {
  return typeof url === 'string' && url.length <= MAX_URL_LENGTH && /^https?:\/\/\S+$/i.test(url) && URL.canParse(url)
}

function setValue(changes: Changes, key: string): Json | undefined {
  const operation = changes.fields.find((field) => field.path[0] === key)?.operations[0]
  return operation?.kind === 'Set' ? operation.value : undefined
}

function setting(key: string, value: Json): FieldChange {
  return { path: [key], operations: [{ kind: 'Set', value }] }
}

function nameFromUrl(url: Json | undefined): string {
  const path = typeof url === 'string' ? new URL(url).pathname : ''
  return path.slice(path.lastIndexOf('/') + 1) || DEFAULT_NAME
}
