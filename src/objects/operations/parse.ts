import { errors } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject, MAX_DEPTH, shown, storableText } from '../../values/json.ts'
import { checkKeyName } from '../../values/names.ts'
import { type FieldType, normalise, sameType, showType, typeOfValue } from '../../values/typed.ts'
import { parseAcl } from '../access/acl.ts'
import type { Changes, FieldChange, Operation, RelationChange } from './operation.ts'

/** protocol/conventions, Codes: a relation operation has 1 to 1000 members. */
const MAX_RELATION_MEMBERS = 1000

/** Maximum keys that one request may change: a class has up to 300 fields, and parts of its Object fields can be changed too. */
const MAX_KEYS = 500

/** Maximum operations in a Batch on one field; SDKs send two. */
const MAX_BATCH = 100

/** Set only by the server; clients may send them, and they are ignored (protocol/storage, Column types). */
const SYSTEM_KEYS = new Set(['objectId', 'createdAt', 'updatedAt', 'className'])

/**
 * Parses the body of a create or an update.
 * @example
 * // [{ path: ['score'], operations: [{ kind: 'Increment', amount: 2 }] }]
 * parseChanges({ score: { __op: 'Increment', amount: 2 } }, true).fields
 * @param dotted whether dotted keys name parts of objects, as in updates; in creates they are error 105
 * @throws ApiError 1, 105, 106, 107, 111, 117, 121, 123, 128, 302 or 304
 */
export function parseChanges(body: unknown, dotted: boolean): Changes {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const bodyKeys = Object.keys(body)
  if (bodyKeys.length > MAX_KEYS)
    throw errors.thresholdExceeded(`A request can change at most ${MAX_KEYS} keys of an object.`)
  const fields: FieldChange[] = []
  const relations: RelationChange[] = []
  const types = new Map<string, FieldType>()
  let acl: JsonObject | null | undefined
  for (const key of bodyKeys) {
    const value = body[key] as Json
    if (key === 'ACL') {
      // Some SDKs send null when there is no ACL (protocol/conventions, Requests).
      acl = value === null || isRemoval(value) ? null : parseAcl(value)
    } else if (SYSTEM_KEYS.has(key)) {
      if (isOperation(value)) throw errors.readOnlyKey(key)
    } else if (!key.startsWith('__')) {
      const path = parsePath(key, dotted)
      const parsed = parseField(key, value)
      if (parsed.relations.length > 0) relations.push(...parsed.relations)
      if (parsed.operations.length > 0) fields.push({ path, operations: parsed.operations })
      demand(types, path[0]!, path.length > 1 ? dottedType(parsed.operations) : parsed.type)
      if (path.length > 1 && parsed.relations.length > 0) throw errors.invalidKeyName(key)
    }
  }
  checkOverlap(fields)
  return { fields, relations, acl, types, keys: keysOf(fields, relations) }
}

function keysOf(fields: readonly FieldChange[], relations: readonly RelationChange[]): string[] {
  const keys = fields.map((field) => field.path[0]!)
  if (relations.length === 0 && fields.every((field) => field.path.length === 1)) return keys
  return [...new Set([...keys, ...relations.map((relation) => relation.field)])]
}

function parsePath(key: string, dotted: boolean): string[] {
  if (!key.includes('.')) return [checkKeyName(key)]
  const path = storableText(key).split('.')
  if (path.length > MAX_DEPTH)
    throw errors.badArgument(`The key '${key.slice(0, 40)}…' must have at most ${MAX_DEPTH} levels.`)
  if (!dotted || path.some((part) => part === '' || part.includes('$'))) throw errors.invalidKeyName(key)
  checkKeyName(path[0]!)
  if (path[0] === 'ACL' || SYSTEM_KEYS.has(path[0]!)) throw errors.readOnlyKey(key)
  return path
}

/**
 * Returns the type required by operations on a part of an object. Setting a part creates the object; deleting one does not need
 * it.
 */
function dottedType(operations: readonly Operation[]): FieldType | null {
  return operations.every((operation) => operation.kind === 'Delete') ? null : { type: 'Object' }
}

const NONE: readonly never[] = []

interface ParsedField {
  readonly operations: readonly Operation[]
  readonly relations: readonly RelationChange[]
  readonly type: FieldType | null
}

function parseField(key: string, value: Json): ParsedField {
  if (!isOperation(value)) {
    const set: Operation = { kind: 'Set', value: normalise(value, key) }
    const type = demandedType(set)
    // A Relation as a value only sets the type of the field; its members change by operations.
    return { operations: type?.type === 'Relation' ? NONE : [set], relations: NONE, type }
  }
  const wires = value.__op === 'Batch' ? batched(key, value) : [value]
  const operations: Operation[] = []
  const relations: RelationChange[] = []
  const types = new Map<string, FieldType>()
  for (const wire of wires) {
    if (wire.__op === 'AddRelation' || wire.__op === 'RemoveRelation') {
      const change = parseRelation(key, wire.__op, wire.objects)
      relations.push(change)
      demand(types, key, { type: 'Relation', className: change.className })
    } else {
      const operation = parseOperation(key, wire)
      operations.push(operation)
      demand(types, key, demandedType(operation))
    }
  }
  if (operations.length > 0 && relations.length > 0)
    throw errors.invalidRelation(`The operations on '${key}' cannot be combined.`)
  return { operations: effective(operations), relations, type: types.get(key) ?? null }
}

function isOperation(value: Json): value is JsonObject {
  return isJsonObject(value) && Object.hasOwn(value, '__op')
}

function isRemoval(value: Json): boolean {
  return isOperation(value) && value.__op === 'Delete'
}

/** The operations allowed in a Batch; any other has its own error code there (protocol/conventions, Codes: 304). */
const IN_BATCH: ReadonlySet<Json> = new Set([
  'Delete',
  'Increment',
  'Decrement',
  'Add',
  'AddUnique',
  'Remove',
  'AddRelation',
  'RemoveRelation',
  'BitAnd',
  'BitOr',
  'BitXor',
])

function batched(key: string, value: JsonObject): JsonObject[] {
  const { ops } = value
  if (!Array.isArray(ops) || !ops.every((op) => isOperation(op))) {
    throw errors.incorrectType(`The Batch operation on '${key}' needs 'ops', an array of operations.`)
  }
  if (ops.length > MAX_BATCH)
    throw errors.badArgument(`The Batch operation on '${key}' must have at most ${MAX_BATCH} operations.`)
  const unknown = ops.find(({ __op }) => !IN_BATCH.has(__op!))
  if (unknown)
    throw errors.unknownOperation(
      `The Batch operation on '${key}' has the __op ${shown(unknown.__op)}; it must be one of ${[...IN_BATCH].join(', ')}.`,
    )
  return ops
}

function parseOperation(key: string, wire: JsonObject): Operation {
  switch (wire.__op) {
    case 'Delete':
      return { kind: 'Delete' }
    case 'Increment':
      return { kind: 'Increment', amount: amountOf(key, wire) }
    case 'Decrement':
      return { kind: 'Increment', amount: -amountOf(key, wire) }
    case 'Add':
    case 'AddUnique':
    case 'Remove':
      return { kind: wire.__op, objects: objectsOf(key, wire) }
    case 'BitAnd':
    case 'BitOr':
    case 'BitXor':
      if (!Number.isSafeInteger(wire.value))
        throw errors.incorrectType(`${wire.__op} on '${key}' needs 'value', an integer.`)
      return { kind: wire.__op, operand: wire.value as number }
    default:
      // Code 1, not 111: the test suite of the PHP SDK expects it (protocol/storage, Field operations).
      throw errors.badArgument(
        `'${key}' has the unknown __op ${shown(wire.__op)}; it must be ${[...IN_BATCH].join(', ')} or Batch.`,
      )
  }
}

function amountOf(key: string, wire: JsonObject): number {
  const amount = wire.amount ?? 1
  if (typeof amount !== 'number' || !Number.isFinite(amount)) {
    throw errors.incorrectType(`${String(wire.__op)} on '${key}' needs 'amount', a number.`)
  }
  return amount
}

function objectsOf(key: string, wire: JsonObject): Json[] {
  if (!Array.isArray(wire.objects))
    throw errors.incorrectType(`${String(wire.__op)} on '${key}' needs 'objects', an array.`)
  return wire.objects.map((object, index) => normalise(object, `${key}[${index}]`))
}

function parseRelation(field: string, kind: 'AddRelation' | 'RemoveRelation', objects: unknown): RelationChange {
  if (!Array.isArray(objects) || objects.length === 0 || objects.length > MAX_RELATION_MEMBERS) {
    throw errors.invalidRelation(
      `${kind} on '${field}' needs 'objects', an array of 1 to ${MAX_RELATION_MEMBERS} Pointers.`,
    )
  }
  const pointers = objects.map((object, index) => {
    const pointer = normalise(object, `${field}[${index}]`)
    if (!isJsonObject(pointer) || (pointer.__type !== 'Pointer' && pointer.__type !== 'File')) {
      throw errors.invalidRelation(`${kind} on '${field}' accepts only Pointers.`)
    }
    return pointer.__type === 'File'
      ? { className: '_File', id: String(pointer.id) }
      : { className: String(pointer.className), id: String(pointer.objectId) }
  })
  const className = pointers[0]!.className
  if (pointers.some((pointer) => pointer.className !== className)) {
    throw errors.invalidRelation(`All members of '${field}' must be of the same class.`)
  }
  return { field, className, kind, ids: [...new Set(pointers.map((pointer) => pointer.id))].sort() }
}

function demand(types: Map<string, FieldType>, key: string, type: FieldType | null): void {
  if (type === null) return
  const other = types.get(key)
  if (other && !sameType(other, type)) {
    throw errors.incorrectType(
      `The changes of '${key}' require it to be both ${showType(other)} and ${showType(type)}.`,
    )
  }
  types.set(key, type)
}

/** Rejects changes of both a field and a part of it, because their order would be undefined. */
function checkOverlap(fields: readonly FieldChange[]): void {
  if (fields.every((field) => field.path.length === 1)) return
  const names = new Set(fields.map((field) => field.path.join('.')))
  for (const { path } of fields) {
    for (let length = 1; length < path.length; length++) {
      const parent = path.slice(0, length).join('.')
      if (names.has(parent))
        throw errors.badArgument(`'${parent}' and '${path.join('.')}' cannot be changed in one request.`)
    }
  }
}

/** Returns the type that a field must have for an operation; null for any type. */
function demandedType(operation: Operation): FieldType | null {
  switch (operation.kind) {
    case 'Set':
      return typeOfValue(operation.value)
    case 'Delete':
      return null
    case 'Increment':
    case 'BitAnd':
    case 'BitOr':
    case 'BitXor':
      return { type: 'Number' }
    case 'Add':
    case 'AddUnique':
    case 'Remove':
      return { type: 'Array' }
  }
}

/** Returns the operations that have an effect: those before the last `Set` or `Delete` have none. */
export function effective(operations: readonly Operation[]): Operation[] {
  const last = operations.findLastIndex((operation) => operation.kind === 'Set' || operation.kind === 'Delete')
  return operations.slice(Math.max(last, 0))
}
