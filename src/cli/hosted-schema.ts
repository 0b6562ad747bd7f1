import type { HostedClass } from '../import/forms/form.ts'
import { type Notice, notice } from '../notices/notice.ts'
import { noticeOf } from '../notices/noticed-error.ts'
import { parseAcl } from '../objects/access/acl.ts'
import type { ClassOperation, Permission } from '../objects/access/permissions.ts'
import { BUILT_IN_CLASSES, builtInField } from '../objects/classes/built-in-classes.ts'
import { declaredField, type FieldDeclaration } from '../objects/classes/field-options.ts'
import { isJsonObject, type Json, type JsonObject, ownMember } from '../values/json.ts'
import type { FieldType } from '../values/typed.ts'

/** A class in the form of the management API. */
export interface WantedClass {
  readonly fields: { readonly [name: string]: WantedField }
  readonly permissions: { readonly [operation in ClassOperation]?: Permission }
  /** undefined: not specified by the files */
  readonly defaultAcl: JsonObject | undefined
  readonly indexes: readonly WantedIndex[]
  /** Parts that were not understood, or have no counterpart. */
  readonly notes: readonly Notice[]
  /** The notes about access rules that were not understood. */
  readonly unknownAccess: readonly UnknownAccess[]
}

/** An access rule that was not understood. */
interface UnknownAccess {
  /** The operation that the rule applies to; null: unknown, any of them */
  readonly to: ClassOperation | 'defaultAcl' | null
  readonly note: Notice
}

type WantedField = Omit<FieldDeclaration, 'type'> & FieldType

export interface WantedIndex {
  readonly fields: readonly string[]
  readonly unique: boolean
}

type Note = (note: Notice) => void

/** Columns that all objects have, whatever a schema specifies. */
const SYSTEM_COLUMNS = new Set(['objectId', 'createdAt', 'updatedAt', 'ACL'])
/** Stored outside of the fields of users. */
const SECRET_COLUMNS = new Set(['password', 'salt', 'sessionToken'])
const PLAIN_TYPES = new Set([
  'String',
  'Number',
  'Boolean',
  'Object',
  'Array',
  'Date',
  'Bytes',
  'File',
  'GeoPoint',
  'Any',
])
const OPERATIONS: { readonly [hosted: string]: ClassOperation } = {
  create: 'create',
  find: 'find',
  get: 'get',
  update: 'update',
  delete: 'delete',
  add_fields: 'addField',
}
/** The note for a class of the hosted service that does not exist here, such as `_Product`. */
export const NO_SUCH_CLASS = notice('noSuchClassHere')

/** Returns whether a class is a built-in one of the hosted service that apps here cannot have. */
export function isUnknownBuiltIn(className: string): boolean {
  return className.startsWith('_') && !Object.hasOwn(BUILT_IN_CLASSES, className)
}

/** Columns of built-in classes that have built-in indexes. */
const OWN_INDEXES: { readonly [className: string]: RegExp } = {
  _User: /^(username|email|mobilePhoneNumber|sessionToken|authData(\..+)?)$/,
  _Role: /^name$/,
  _Installation: /^(installationId|deviceToken|channels)$/,
  _Conversation: /^(m|uniqueId)$/,
}

/** Parses the class description of the hosted service. Parts that are not understood are omitted and noted. */
export function wantedClass(className: string, { schema, permissions, indexes }: HostedClass): WantedClass {
  const notes: Notice[] = []
  const note: Note = (text) => notes.push(text)
  const unknownAccess: UnknownAccess[] = []
  const noteAccess = (to: UnknownAccess['to'], text: Notice) => {
    note(text)
    unknownAccess.push({ to, note: text })
  }
  const columns = membersOf(schema, 'schema', note)
  const declared = Object.entries(columns)
    .filter(([name]) => !SYSTEM_COLUMNS.has(name) && !(className === '_User' && SECRET_COLUMNS.has(name)))
    .map(([name, column]) => [name, fieldOf(className, name, column, note)] as const)
  return {
    fields: Object.fromEntries(declared.flatMap(([name, field]) => (field ? [[name, field]] : []))),
    permissions: permissionsOf(
      membersOf(permissions, 'permissions', (text) => noteAccess(null, text)),
      noteAccess,
    ),
    defaultAcl: defaultAclOf(columns.ACL, (text) => noteAccess('defaultAcl', text)),
    indexes: indexesOf(className, indexes, columns, note),
    notes,
    unknownAccess,
  }
}

function membersOf(value: Json | undefined, what: string, note: Note): JsonObject {
  if (value === undefined) return {}
  if (isJsonObject(value)) return value
  note(notice('notAnObject', { className: what }))
  return {}
}

function fieldOf(className: string, name: string, column: Json, note: Note): WantedField | null {
  const type = isJsonObject(column) ? typeOf(column) : null
  if (!type) {
    note(notice('hostedTypeUnknown', { field: name, type: shown(column) }))
    return null
  }
  const { type: _, className: _target, v: _version, ...options } = column as JsonObject
  const known = builtInField(className, name)
  if (known && known.type !== type.type) {
    note(notice('hostedTypeFixed', { field: name, type: known.type, given: type.type }))
    return null
  }
  const field = { ...type, ...optionsOf(name, options, known !== undefined, note) }
  return withDefault(className, name, field, options.default, note)
}

function typeOf({ type, className }: JsonObject): FieldType | null {
  if (type === 'Pointer' || type === 'Relation') return typeof className === 'string' ? { type, className } : null
  return PLAIN_TYPES.has(String(type)) ? ({ type } as FieldType) : null
}

const SWITCHES: { readonly [hosted: string]: 'required' | 'readOnly' | 'userPrivate' | 'autoIncrement' } = {
  required: 'required',
  read_only: 'readOnly',
  user_private: 'userPrivate',
  auto_increment: 'autoIncrement',
}

function optionsOf(name: string, options: JsonObject, isBuiltIn: boolean, note: Note): Omit<FieldDeclaration, 'type'> {
  const isHidden = options.hidden === true
  const entries = Object.entries(options).flatMap(([option, value]): [string, Json][] => {
    const known = ownMember(SWITCHES, option)
    // The hosted service only hides hidden columns from results; our own export marks those that are hidden from queries too.
    if (option === 'hidden' && isHidden) return [['hidden', options.hidden_from_queries === true ? true : 'results']]
    if (option === 'hidden_from_queries' && isHidden && value === true) return []
    if (option === 'default' || value === false || value === null) return []
    if (option === 'comment' && typeof value === 'string')
      return value === '' ? [] : [['comment', value.slice(0, 1000)]]
    if (!known || value !== true) {
      note(notice('hostedOptionUnknown', { field: name, option, given: shown(value) }))
      return []
    }
    if (isBuiltIn && (known === 'required' || known === 'readOnly')) {
      note(notice('hostedOptionOfClass', { field: name, option }))
      return []
    }
    return [[known, true]]
  })
  return Object.fromEntries(entries)
}

function withDefault(
  className: string,
  name: string,
  field: WantedField,
  value: Json | undefined,
  note: Note,
): WantedField | null {
  const { type, ...options } = field
  const declared = (given: FieldDeclaration) =>
    declaredField(className, name, undefined, { ...options, ...given, type: typeOf(field as unknown as JsonObject)! })
  try {
    declared({})
  } catch (error) {
    note(notice('fieldProblem', { field: name, reason: noticeOf(error) }))
    return null
  }
  if (value === undefined || value === null) return field
  try {
    declared({ default: value })
    return { ...field, default: value }
  } catch {
    note(notice('hostedDefaultInvalid', { field: name, type, given: shown(value) }))
    return field
  }
}

function defaultAclOf(column: Json | undefined, note: Note): JsonObject | undefined {
  if (!isJsonObject(column) || (column.default ?? null) === null) return undefined
  try {
    return parseAcl(column.default, true)
  } catch (error) {
    note(notice('hostedDefaultAcl', { reason: noticeOf(error) }))
    return undefined
  }
}

function permissionsOf(
  permissions: JsonObject,
  note: (to: UnknownAccess['to'], note: Notice) => void,
): WantedClass['permissions'] {
  const entries = Object.entries(permissions).flatMap(([name, value]): [ClassOperation, Permission][] => {
    const operation = ownMember(OPERATIONS, name)
    const permission = operation && permissionOf(value)
    if (permission) return [[operation, permission]]
    note(operation ?? null, notice('hostedPermissionUnknown', { permission: name, given: shown(value) }))
    return []
  })
  return Object.fromEntries(entries)
}

/** Parses a permission. Without members, only the master key has access; null when a member is not understood. */
function permissionOf(value: Json): Permission | null {
  if (!isJsonObject(value)) return null
  const { '*': everybody = false, onlySignInUsers = false, users, roles, ...unknown } = value
  const [userIds, roleNames] = [listOf(users), listOf(roles)]
  if (Object.keys(unknown).length > 0 || !userIds || !roleNames) return null
  if (typeof everybody !== 'boolean' || typeof onlySignInUsers !== 'boolean') return null
  if (everybody) return 'public'
  if (onlySignInUsers) return 'users'
  return userIds.length + roleNames.length > 0 ? { users: userIds, roles: roleNames } : 'master'
}

/** Parses a list of strings, or a string with commas. */
function listOf(value: Json | undefined): string[] | null {
  if (value === undefined || value === null) return []
  const items = typeof value === 'string' ? value.split(',') : value
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) return null
  return items.map((item) => item.trim()).filter((item) => item !== '')
}

function indexesOf(className: string, indexes: Json | undefined, columns: JsonObject, note: Note): WantedIndex[] {
  if (indexes === undefined) return []
  if (!Array.isArray(indexes)) {
    note(notice('hostedIndexesNotList'))
    return []
  }
  return indexes.flatMap((index: Json) => indexOf(className, index, columns, note) ?? [])
}

const MAX_KEYS = 4

/** Returns null for a built-in index, and for one without a counterpart, which is noted. */
function indexOf(className: string, index: Json, columns: JsonObject, note: Note): WantedIndex | null {
  const keys = isJsonObject(index) && isJsonObject(index.key) ? Object.entries(index.key) : []
  const names = keys.map(([name]) => (name === '_id' ? 'objectId' : columnOfIndex(name, columns)))
  const isOwn = (name: string) => name === 'objectId' || ownMember(OWN_INDEXES, className)?.test(name)
  // GeoPoints are always indexed.
  const isGeo = keys.some(([, order]) => order === '2d' || order === '2dsphere')
  if (keys.length === 1 && (isGeo || isOwn(names[0]!))) return null
  const isUnderstood =
    keys.length > 0 && keys.length <= MAX_KEYS && keys.every(([, order]) => Math.abs(Number(order)) === 1)
  if (!isUnderstood || names.some((name) => name.includes('.') || name.startsWith('_'))) {
    note(notice('indexWithoutCounterpart', { index: shown(index) }))
    return null
  }
  const unique = (index as JsonObject).unique === true
  const fields = names.map((name, position) => (!unique && Number(keys[position]![1]) < 0 ? `-${name}` : name))
  return { fields, unique }
}

/**
 * Returns the column of an index key: `owner` for `owner.objectId` or `owner.$id`, the id of a pointer, which is what an index of
 * a Pointer contains. A column whose type the files do not specify is assumed to be a Pointer.
 */
function columnOfIndex(name: string, columns: JsonObject): string {
  const [, root = '', member] = /^(\w+)\.(objectId|\$id)$/.exec(name) ?? []
  if (member === undefined) return name
  const column = ownMember(columns, root)
  const isReference = !isJsonObject(column) || column.type === 'Pointer' || column.type === 'File'
  return isReference ? root : name
}

function shown(value: Json | undefined): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 200)
}
