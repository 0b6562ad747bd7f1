import { errors } from '../../errors.ts'
import { canonicalJson, isJsonObject, type Json, type JsonObject, member } from '../../values/json.ts'
import type { FieldChange, Operation } from './operation.ts'

/**
 * Applies changes to an object in memory, for creates, which start empty. The database applies updates (`to-sql.ts`); a property
 * test checks that both have the same results.
 * @example
 * applyChanges({ score: 1 }, [{ path: ['score'], operations: [{ kind: 'Increment', amount: 2 }] }]) // { score: 3 }
 * @throws ApiError 111 when an operation is applied to a value of another type
 */
export function applyChanges(data: JsonObject, changes: readonly FieldChange[]): JsonObject {
  if (Object.keys(data).length === 0 && changes.every(isPlainSet)) {
    const fields: Record<string, Json> = {}
    for (const { path, operations } of changes) fields[path[0]!] = (operations[0] as Setting).value
    return fields
  }
  let result: JsonObject = data
  for (const { path, operations } of changes) {
    for (const operation of operations) result = applyAt(result, path, operation)
  }
  return result
}

type Setting = Extract<Operation, { kind: 'Set' }>

/** Returns whether a change sets a top-level field, as almost all changes of creates do. */
function isPlainSet({ path, operations }: FieldChange): boolean {
  return path.length === 1 && operations.length === 1 && operations[0]!.kind === 'Set'
}

function applyAt(target: JsonObject, path: readonly string[], operation: Operation): JsonObject {
  const [key, ...rest] = path as [string, ...string[]]
  const current = member(target, key)
  if (rest.length === 0) return withMember(target, key, applyTo(current, operation, key))
  if (current !== undefined && current !== null && (!isJsonObject(current) || Object.hasOwn(current, '__type'))) {
    throw errors.incorrectType(`A dotted key requires '${key}' to be an object.`)
  }
  if ((current === undefined || current === null) && operation.kind === 'Delete') return target
  return withMember(target, key, applyAt(current ?? {}, rest, operation))
}

function withMember(target: JsonObject, key: string, value: Json | undefined): JsonObject {
  const entries = Object.entries(target).filter(([name]) => name !== key)
  return Object.fromEntries(value === undefined ? entries : [...entries, [key, value]])
}

function applyTo(current: Json | undefined, operation: Operation, key: string): Json | undefined {
  switch (operation.kind) {
    case 'Set':
      return operation.value
    case 'Delete':
      return undefined
    case 'Increment':
      return sumOf(numberOf(current, key), operation.amount, key)
    case 'BitAnd':
      return Number(integerOf(current, key) & BigInt(operation.operand))
    case 'BitOr':
      return Number(integerOf(current, key) | BigInt(operation.operand))
    case 'BitXor':
      return Number(integerOf(current, key) ^ BigInt(operation.operand))
    case 'Add':
      return [...arrayOf(current, key), ...operation.objects]
    case 'AddUnique':
      return addUnique(arrayOf(current, key), operation.objects)
    case 'Remove':
      return without(arrayOf(current, key), operation.objects)
  }
}

function addUnique(array: readonly Json[], additions: readonly Json[]): Json[] {
  const result = [...array]
  const known = new Set(array.map(canonicalJson))
  for (const addition of additions) {
    const text = canonicalJson(addition)
    if (!known.has(text)) result.push(addition)
    known.add(text)
  }
  return result
}

function without(array: readonly Json[], removals: readonly Json[]): Json[] {
  const removed = new Set(removals.map(canonicalJson))
  return array.filter((element) => !removed.has(canonicalJson(element)))
}

function numberOf(value: Json | undefined, key: string): number {
  if (value === undefined || value === null) return 0
  if (typeof value !== 'number') throw errors.incorrectType(`The operation on '${key}' requires a number.`)
  return value
}

function sumOf(value: number, amount: number, key: string): number {
  const sum = value + amount
  if (Number.isFinite(sum)) return sum
  throw errors.incorrectType(`The operation on '${key}' exceeds ${Number.MAX_VALUE}, the largest number.`)
}

function integerOf(value: Json | undefined, key: string): bigint {
  const number = numberOf(value, key)
  if (!Number.isSafeInteger(number)) throw errors.incorrectType(`The bit operation on '${key}' requires an integer.`)
  return BigInt(number)
}

function arrayOf(value: Json | undefined, key: string): readonly Json[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw errors.incorrectType(`The operation on '${key}' requires an array.`)
  return value
}
