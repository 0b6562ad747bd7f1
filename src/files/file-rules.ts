import { errors } from '../errors.ts'
import type { Changes, FieldChange } from '../objects/operations/operation.ts'
import type { ClassRules } from '../objects/store.ts'
import { typeOfValue } from '../values/field-type.ts'
import type { Json } from '../values/json.ts'

const DEFAULT_MIME_TYPE = 'application/octet-stream'
const DEFAULT_NAME = 'file'
const MAX_URL_LENGTH = 2000

/**
 * What `_File` does differently: a record is made for a URL elsewhere, and never changed (protocol/files, Files). Go
 * makes records that have a name and no URL.
 */
export const fileRules: ClassRules = {
  create(given: Changes): Changes {
    const changes = withoutAbsent(given)
    const url = setValue(changes, 'url')
    if (url === undefined) checkHasNoContent(changes)
    else if (!isWebAddress(url)) throw errors.badArgument("'url' of a file record must be an http or https URL.")
    for (const key of ['name', 'mime_type']) {
      const value = setValue(changes, key)
      if (value !== undefined && typeof value !== 'string')
        throw errors.incorrectType(`'${key}' of a file record must be a text.`)
    }
    const added: FieldChange[] = []
    if (setValue(changes, 'mime_type') === undefined) added.push(setting('mime_type', DEFAULT_MIME_TYPE))
    if (setValue(changes, 'name') === undefined) added.push(setting('name', nameFromUrl(url)))
    return { ...changes, fields: [...changes.fields, ...added] }
  },
  update(): void {
    throw errors.notAllowedForClients('A file record cannot be changed; create another one.')
  },
}

/**
 * The changes without what says nothing: Python and PHP send null for a `mime_type` that they do not know, and PHP an
 * empty list for `metaData` without members (protocol/files, External files).
 */
function withoutAbsent(changes: Changes): Changes {
  const absent = changes.fields.flatMap(({ path }) => (setValue(changes, path[0]!) === null ? [path[0]!] : []))
  const metaData = setValue(changes, 'metaData')
  const fields = changes.fields.filter(({ path }) => !absent.includes(path[0]!))
  if (!Array.isArray(metaData) || metaData.length > 0) return { ...changes, fields }
  return {
    ...changes,
    fields: fields.map((field) => (field.path[0] === 'metaData' ? setting('metaData', {}) : field)),
    types: new Map(changes.types).set('metaData', typeOfValue({})!),
  }
}

/** @throws ApiError 1 when bytes are sent, or nothing that a record could be of */
function checkHasNoContent(changes: Changes): void {
  if (typeof setValue(changes, 'name') === 'string' && setValue(changes, 'base64') === undefined) return
  throw errors.badArgument("A file record needs 'url', an http or https URL; bytes cannot be uploaded here.")
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
