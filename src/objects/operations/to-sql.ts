import { literal, type Sql, sql } from '../../database/sql.ts'
import { isLarge, type Json, jsonOf } from '../../values/json.ts'
import { concatenated, type Text } from '../../values/text-in-pieces.ts'
import type { FieldChange, Operation } from './operation.ts'

/** The JSON texts of large values, by value. */
export type LargeTexts = ReadonlyMap<Json, Text>
const NONE: LargeTexts = new Map()

/** Serializes the large values of changes, if any, in slices, so that other work runs in between. */
export async function largeTexts(changes: readonly FieldChange[]): Promise<LargeTexts> {
  let texts: Map<Json, Text> | undefined
  for (const { operations } of changes) {
    for (const operation of operations) {
      const value = 'value' in operation ? operation.value : 'objects' in operation ? operation.objects : null
      if (!isLarge(value)) continue
      texts ??= new Map()
      texts.set(value, await jsonOf(value))
    }
  }
  return texts ?? NONE
}

/**
 * Returns the new value of a row's `data` after the changes, as one expression over its old value. A statement with it needs no
 * read before the write and is correct under any concurrency (docs/architecture.md, Data).
 * @example
 * // jsonb_set(data, '{score}', homeport.op_increment((data->'score'), $1::numeric))
 * changedData([{ path: ['score'], operations: [{ kind: 'Increment', amount: 2 }] }])
 * @param texts of large values, serialized in advance
 */
export function changedData(changes: readonly FieldChange[], texts: LargeTexts = NONE): Sql {
  const sets: Record<string, Json> = Object.create(null)
  const deletes: string[] = []
  const others: FieldChange[] = []
  for (const change of changes) {
    const [operation] = change.operations
    if (change.path.length > 1 || change.operations.length > 1) others.push(change)
    else if (operation?.kind === 'Set') sets[change.path[0]!] = operation.value
    else if (operation?.kind === 'Delete') deletes.push(change.path[0]!)
    else others.push(change)
  }
  let data = sql`data`
  if (deletes.length > 0) data = sql`(${data} - ${deletes}::text[])`
  if (Object.keys(sets).length > 0) data = sql`(${data} || ${objectText(sets, texts)}::jsonb)`
  // `data` in the expression of a field is the old row: no two changes of one request affect the same field.
  return others.reduce((result, change) => changeAt(result, change, texts), data)
}

function changeAt(data: Sql, { path, operations }: FieldChange, texts: LargeTexts): Sql {
  const value = operations.reduce<Sql | null>(
    (value, operation) => changedValue(value, operation, texts),
    oldValue(path),
  )
  if (path.length > 1) return sql`homeport.op_set_path(${data}, ${path}::text[], ${value ?? sql`NULL`})`
  const key = path[0]!
  return value === null ? sql`(${data} - ${literal(key)})` : sql`jsonb_set(${data}, ${literal(`{${key}}`)}, ${value})`
}

function oldValue(path: readonly string[]): Sql {
  return path.length === 1 ? sql`(data->${literal(path[0]!)})` : sql`(data#>${path}::text[])`
}

/** null represents "no value", both before and after an operation. */
function changedValue(value: Sql | null, operation: Operation, texts: LargeTexts): Sql | null {
  const current = value ?? sql`NULL::jsonb`
  switch (operation.kind) {
    case 'Set':
      return sql`${textOf(operation.value, texts)}::jsonb`
    case 'Delete':
      return null
    case 'Increment':
      return sql`homeport.op_increment(${current}, ${String(operation.amount)}::numeric)`
    case 'BitAnd':
    case 'BitOr':
    case 'BitXor':
      return sql`homeport.op_bit(${current}, ${literal(operation.kind)}, ${String(operation.operand)}::bigint)`
    case 'Add':
      return sql`(homeport.op_array(${current}) || ${textOf(operation.objects, texts)}::jsonb)`
    case 'AddUnique':
      return sql`homeport.op_add_unique(${current}, ${textOf(operation.objects, texts)}::jsonb)`
    case 'Remove':
      return sql`homeport.op_remove(${current}, ${textOf(operation.objects, texts)}::jsonb)`
  }
}

function textOf(value: Json, texts: LargeTexts): Text {
  return (texts.size > 0 ? texts.get(value) : undefined) ?? JSON.stringify(value)
}

function objectText(object: Readonly<Record<string, Json>>, texts: LargeTexts): Text {
  if (texts.size === 0) return JSON.stringify(object)
  const members = Object.entries(object).flatMap(([name, value], index) => [
    `${index > 0 ? ',' : ''}${JSON.stringify(name)}:`,
    textOf(value, texts),
  ])
  return concatenated(['{', ...members, '}'])
}
