import { isClassName } from '../../values/names.ts'
import type { FieldOfMembers } from './form.ts'

const ENDINGS = /\.(jsonl|ndjson|json|csv|bson|txt)$/i
const SCHEMA_PART = /^(.+)_(schema|permissions|indexes|all)\.json$/

/** Returns the class name in a file name: `Post` of `export/Post.0.jsonl`; null when it is not a class name. */
export function classOfFile(name: string): string | null {
  const [stem] = lastPart(name).replace(ENDINGS, '').split('.')
  return stem !== undefined && isClassName(stem) ? stem : null
}

/** The characters and escapes that macOS, Windows and URLs use for a colon in a file name. */
const COLON = '(?::|%3A|\uf03a|\uff1a)'
const JOIN_OF_BACKUP = new RegExp(`^_Join${COLON}(\\w+)${COLON}(\\w+)${COLON}(\\w+)\\b`, 'i')
const JOIN = new RegExp(`^_Join${COLON}(\\w+)${COLON}(\\w+)\\b`, 'i')

/**
 * Returns the relation of a file of members: `_Join:Post:likes:_User.x1.bson` of a backup (protocol/moving-in, BSON backup),
 * `_Join:likes:Post.json` as Parse names the collection, or `Post.likes.relation.jsonl` of our own export.
 */
export function relationOfFile(name: string): FieldOfMembers | null {
  const file = lastPart(name)
  const backup = JOIN_OF_BACKUP.exec(file)
  if (backup) return { className: backup[1]!, field: backup[2]!, targetClass: backup[3]! }
  const join = JOIN.exec(file)
  if (join) return { className: join[2]!, field: join[1]!, targetClass: null }
  const own = /^(\w+)\.(\w+)\.relation(?:\.\d+)?\.(jsonl|json|csv)$/i.exec(file)
  return own ? { className: own[1]!, field: own[2]!, targetClass: null } : null
}

/** Returns the class and part of a file of the schema export (protocol/moving-in, Schema export). */
export function schemaPartOfFile(
  name: string,
): { className: string; part: 'schema' | 'permissions' | 'indexes' | 'all' } | null {
  const [, className, part] = SCHEMA_PART.exec(lastPart(name)) ?? []
  if (className === undefined || !isClassName(className)) return null
  return { className, part: part as 'all' }
}

function lastPart(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
}
