import { MOVED_TABLES } from '../../messaging/moved-tables.ts'
import { notice } from '../../notices/notice.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { isClassName, isKeyName } from '../../values/names.ts'
import { BOARDS, INBOXES } from '../batch.ts'
import { relationOfFile } from './file-name.ts'
import type { FieldOfMembers, Form } from './form.ts'
import { contentOfHeader } from './header-line.ts'
import { jsonOfFile } from './parse-json.ts'

/** Returns the form of the lines after a header; `unknown` for a header of another type. */
export function formOfHeader(line: string): Form {
  const json = contentOfHeader(line)
  const said = json === null ? undefined : parsed(json)
  const form = isJsonObject(said) ? formOf(said) : null
  // A copy, because a substring keeps the whole string in memory.
  const shown = Buffer.from((json ?? line.trim()).slice(0, 200)).toString()
  return form ?? { form: 'unknown', reason: notice('headerTypeUnknown', { type: shown }) }
}

/** Returns the name of the content that a header declares, such as `Post` or `Post.likes`. */
export function contentOf(form: Form): string {
  if (!('of' in form)) return form.form === 'files' ? 'Files' : 'Rejected'
  if (form.form === 'statistic lines') return `${form.of.className} ${form.of.board}`
  return 'field' in form.of ? `${form.of.className}.${form.of.field}` : form.of.className
}

function formOf(said: JsonObject): Form | null {
  switch (said.type) {
    case 'Rejected':
      return { form: 'rejected' }
    case 'Class':
      return formOfClass(said)
    case 'Relation': {
      const relation = relationOf(said)
      return relation && { form: 'member lines', of: relation }
    }
    case 'Files':
      return { form: 'files' }
    case 'Messaging': {
      const table = MOVED_TABLES.find((one) => one === said.of)
      return table ? { form: 'messaging lines', of: { className: `messaging-${table}` } } : null
    }
    case 'Leaderboards':
      return { form: 'board lines', of: { className: BOARDS } }
    case 'Inboxes':
      return { form: 'inbox lines', of: { className: INBOXES } }
    case 'Statistics': {
      const version = versionOf(said)
      return version && { form: 'statistic lines', of: version }
    }
    default:
      return null
  }
}

/** Returns the form of a class, or of the collection of a backup that has the members of a relation. */
function formOfClass({ class: className }: JsonObject): Form | null {
  if (typeof className !== 'string') return null
  const relation = relationOfFile(className)
  if (relation) return { form: 'member lines', of: relation }
  return isClassName(className) ? { form: 'lines', of: { className } } : null
}

/** Parses the header of members in our own export (docs/moving-in-reference.md, Files of an export). */
function relationOf({ class: className, field, target }: JsonObject): FieldOfMembers | null {
  if (typeof className !== 'string' || typeof field !== 'string' || typeof target !== 'string') return null
  return isClassName(className) && isClassName(target) && isKeyName(field)
    ? { className, field, targetClass: target }
    : null
}

function versionOf({ board, version, memberType }: JsonObject) {
  if (typeof board !== 'string' || !/^[\w-]{1,100}$/.test(board)) return null
  if (typeof memberType !== 'string' || !isClassName(memberType)) return null
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 0 || version >= 2 ** 31) return null
  return { board, version, className: memberType }
}

function parsed(text: string): Json | undefined {
  try {
    return jsonOfFile(text)
  } catch {
    return undefined
  }
}
