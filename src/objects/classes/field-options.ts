import { errors } from '../../errors.ts'
import { notice } from '../../notices/notice.ts'
import { withFileIdsIn } from '../../values/file-references.ts'
import { has, type Json, type JsonObject, member } from '../../values/json.ts'
import { checkKeyName } from '../../values/names.ts'
import { type FieldType, normalise, sameType, showType, takes, typeOfValue } from '../../values/typed.ts'
import { type Caller, seesSecrets } from '../access/caller.ts'
import type { Changes, FieldChange } from '../operations/operation.ts'
import { builtInField } from './built-in-classes.ts'
import type { ClassSchema } from './class-schema.ts'
import type { Field, FieldOptions } from './field.ts'

/** An administrator's declaration of a field; undefined members leave it unchanged. */
export interface FieldDeclaration {
  /** Required for a field that does not exist yet. */
  readonly type?: FieldType | undefined
  readonly required?: boolean | undefined
  readonly readOnly?: boolean | undefined
  readonly hidden?: FieldOptions['hidden'] | undefined
  readonly userPrivate?: boolean | undefined
  readonly autoIncrement?: boolean | undefined
  readonly searchable?: boolean | undefined
  /** null removes it. */
  readonly default?: unknown
  readonly comment?: string | undefined
}

/** Fields that every object has; they cannot be declared. */
const SYSTEM_FIELDS = new Set(['objectId', 'createdAt', 'updatedAt', 'className', 'ACL'])

/**
 * Returns the field after a declaration.
 * @param current undefined when the class has no such field yet
 * @throws ApiError 1, 105, 111 with the name of the field
 */
export function declaredField(
  className: string,
  name: string,
  current: Field | undefined,
  declaration: FieldDeclaration,
): Field {
  const isWidened = declaration.type?.type === 'Any' && current !== undefined && mayBecomeAny(className, current)
  const type = isWidened ? declaration.type : (current?.type ?? declaration.type)
  if (!type) throw errors.badArgument(notice('fieldMissing', { className, field: name }))
  checkFieldName(name)
  if (declaration.userPrivate && className !== '_User')
    throw errors.badArgument(notice('userPrivateOutsideUsers', { field: name }))
  if (declaration.type && !sameType(type, declaration.type)) throw typeConflict(name, type, declaration.type)
  return { name, type, options: optionsOf(name, type, { ...current?.options, ...given(declaration) }) }
}

/**
 * Returns whether the type of a field may become Any: the stored values stay valid. The server relies on the types of built-in
 * fields, and of fields with an index, a counter or search words.
 */
function mayBecomeAny(className: string, { name, type, options }: Field): boolean {
  const isBuiltIn = builtInField(className, name) !== undefined
  return !isBuiltIn && !NEVER_ANY.has(type.type) && !options.autoIncrement && !options.searchable
}

const NEVER_ANY: ReadonlySet<FieldType['type']> = new Set(['Relation', 'GeoPoint'])

function checkFieldName(name: string): void {
  checkKeyName(name)
  if (SYSTEM_FIELDS.has(name) || name.startsWith('__'))
    throw errors.badArgument(notice('fieldNameReserved', { field: name }))
}

function given({ type: _, ...options }: FieldDeclaration): Omit<FieldDeclaration, 'type'> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** Returns the options, without those that are not set. */
function optionsOf(name: string, type: FieldType, declared: Omit<FieldDeclaration, 'type'>): FieldOptions {
  const { required, readOnly, hidden, userPrivate, autoIncrement, searchable, comment } = declared
  const options: FieldOptions = {
    ...(required && { required }),
    ...(readOnly && { readOnly }),
    ...(hidden && { hidden }),
    ...(userPrivate && { userPrivate }),
    ...(autoIncrement && { autoIncrement }),
    ...(searchable && { searchable }),
    ...((declared.default ?? null) !== null && { default: defaultOf(name, type, declared.default) }),
    ...(comment && { comment }),
  }
  if (options.autoIncrement && (type.type !== 'Number' || options.default !== undefined))
    throw errors.badArgument(notice('autoIncrementInvalid', { field: name }))
  const { hidden: _, comment: __, ...others } = options
  if (type.type === 'Relation' && Object.keys(others).length > 0)
    throw errors.badArgument(notice('relationOptions', { field: name }))
  return options
}

function defaultOf(name: string, type: FieldType, value: unknown): Json {
  const normal = normalise(value, name)
  const actual = typeOfValue(normal)
  if (!actual || !takes(type, actual))
    throw errors.badArgument(notice('defaultOfOtherType', { field: name, type: showType(type) }))
  return normal
}

export function typeConflict(name: string, expected: FieldType, actual: FieldType): Error {
  return errors.incorrectType(
    notice('fieldTypeMismatch', { field: name, expected: showType(expected), given: showType(actual) }),
  )
}

/** Checks that a new object has all required fields; a default counts. @throws ApiError 113 */
export function checkRequired(schema: ClassSchema, fields: JsonObject): void {
  for (const { name, options } of schema.requiredFields) {
    if ((member(fields, name) ?? options.default ?? null) === null) throw errors.requiredKey(name)
  }
}

/** Checks that a change removes no required field. @throws ApiError 113 */
export function checkStaysPresent(schema: ClassSchema, changes: Changes): void {
  for (const { name, options } of schema.requiredFields) {
    if (options.default === undefined && changes.fields.some((change) => takesAway(change, name)))
      throw errors.requiredKey(name)
  }
}

function takesAway({ path, operations }: FieldChange, name: string): boolean {
  if (path.length > 1 || path[0] !== name) return false
  const last = operations.at(-1)
  return last?.kind === 'Delete' || (last?.kind === 'Set' && last.value === null)
}

/** Checks that a client writes no read-only field. @throws ApiError 117 */
export function checkReadOnly(changes: Changes, schema: ClassSchema, caller: Caller): void {
  if (caller.master) return
  const field = schema.readOnlyFields.find(({ name }) => changes.keys.includes(name))
  if (field) throw errors.readOnlyKey(field.name)
}

/**
 * Returns whether a caller may use a field in conditions, orders and sub-queries. Fields hidden only from results may be used, as
 * on the hosted service.
 */
function isQueryable(schema: ClassSchema, field: string, caller: Caller): boolean {
  return isVisible(schema, field, caller) || (isHiddenInResults(schema, field) && !schema.privateFields.includes(field))
}

function isHiddenInResults(schema: ClassSchema, field: string): boolean {
  return schema.fields.get(field)?.options.hidden === 'results'
}

/** Checks that a caller may use a field in conditions and orders. @throws ApiError 403 */
export function checkQueryable(schema: ClassSchema, field: string, caller: Caller): void {
  if (!isQueryable(schema, field, caller)) checkVisible(schema, field, caller)
}

/** Returns whether a field of a class is shown to a caller. */
export function isVisible(schema: ClassSchema, field: string, caller: Caller): boolean {
  if (schema.privateFields.includes(field)) return seesSecrets(caller)
  return caller.master || !schema.fields.get(field)?.options.hidden
}

/** Checks that a field is visible to the caller, for results that would reveal its values. @throws ApiError 403 */
export function checkVisible(schema: ClassSchema, field: string, caller: Caller): void {
  if (isVisible(schema, field, caller)) return
  const whom = caller.master ? notice('onlookers') : 'clients'
  throw errors.forbidden(notice('fieldNotOpen', { field, className: schema.name, callers: whom }))
}

/** Sets default values where an object lacks a field, and removes fields that are hidden from the caller. */
export function adorn(object: Record<string, Json>, schema: ClassSchema, caller: Caller): void {
  for (const { name, options } of schema.adornedFields) {
    if (options.default !== undefined && !has(object, name)) object[name] = withFileIdsIn(options.default)
    if (options.hidden && !caller.master) delete object[name]
  }
}
