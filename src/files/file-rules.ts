import { errors } from '../errors.ts'
import type { Changes, FieldChange } from '../objects/operations/operation.ts'
import type { ClassRules } from '../objects/store.ts'
import type { Json } from '../values/json.ts'

const DEFAULT_MIME_TYPE = 'application/octet-stream'
const MAX_URL_LENGTH = 2000

/** What `_File` does differently: a record is made for a URL elsewhere, and never changed (spec/rest-details, 12). */
export const fileRules: ClassRules = {
  create(changes: Changes): Changes {
    const url = setValue(changes, 'url')
    if (
      typeof url !== 'string' ||
      url.length > MAX_URL_LENGTH ||
      !/^https?:\/\/\S+$/i.test(url) ||
      !URL.canParse(url)
    ) {
      throw errors.badArgument("A file record needs 'url', an http or https URL; bytes cannot be uploaded here.")
    }
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

function setValue(changes: Changes, key: string): Json | undefined {
  const operation = changes.fields.find((field) => field.path[0] === key)?.operations[0]
  return operation?.kind === 'Set' ? operation.value : undefined
}

function setting(key: string, value: Json): FieldChange {
  return { path: [key], operations: [{ kind: 'Set', value }] }
}

function nameFromUrl(url: string): string {
  const path = new URL(url).pathname
  return path.slice(path.lastIndexOf('/') + 1) || 'file'
}
