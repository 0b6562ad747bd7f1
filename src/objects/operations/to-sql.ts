import { literal, type Sql, sql } from '../../database/sql.ts'
import type { Json } from '../../values/json.ts'
import type { FieldChange, Operation } from './operation.ts'

/**
 * The new value of a row's `data` after the changes, as one expression over its old value: the statement that holds it
 * needs no read before the write and is correct under any concurrency (docs/architecture.md, Data).
 * @example
 * // jsonb_set(data, '{score}', homeport.op_increment((data->'score'), $1::numeric))
 * changedData([{ path: ['score'], operations: [{ kind: 'Increment', amount: 2 }] }])
 */
export function changedData(changes: readonly FieldChange[]): Sql {
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
  if (Object.keys(sets).length > 0) data = sql`(${data} || ${JSON.stringify(sets)}::jsonb)`
  // `data` in a field's own expression is the old row: no two changes of one request touch the same field.
  return others.reduce((result, change) => changeAt(result, change), data)
}

function changeAt(data: Sql, { path, operations }: FieldChange): Sql {
  const value = operations.reduce<Sql | null>(changedValue, oldValue(path))
  if (path.length > 1) return sql`homeport.op_set_path(${data}, ${path}::text[], ${value ?? sql`NULL`})`
  const key = path[0]!
  return value === null ? sql`(${data} - ${literal(key)})` : sql`jsonb_set(${data}, ${literal(`{${key}}`)}, ${value})`
}

function oldValue(path: readonly string[]): Sql {
  return path.length === 1 ? sql`(data->${literal(path[0]!)})` : sql`(data#>${path}::text[])`
}

/** null stands for "no value", both before and after an operation. */
function changedValue(value: Sql | null, operation: Operation): Sql | null {
  const current = value ?? sql`NULL::jsonb`
  switch (operation.kind) {
    case 'Set':
      return sql`${JSON.stringify(operation.value)}::jsonb`
    case 'Delete':
      return null
    case 'Increment':
      return sql`homeport.op_increment(${current}, ${String(operation.amount)}::numeric)`
    case 'BitAnd':
    case 'BitOr':
    case 'BitXor':
      return sql`homeport.op_bit(${current}, ${literal(operation.kind)}, ${String(operation.operand)}::bigint)`
    case 'Add':
      return sql`(homeport.op_array(${current}) || ${JSON.stringify(operation.objects)}::jsonb)`
    case 'AddUnique':
      return sql`homeport.op_add_unique(${current}, ${JSON.stringify(operation.objects)}::jsonb)`
    case 'Remove':
      return sql`homeport.op_remove(${current}, ${JSON.stringify(operation.objects)}::jsonb)`
  }
}
