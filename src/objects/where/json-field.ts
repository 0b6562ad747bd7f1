import { type Sql, sql } from '../../database/sql.ts'
import { type FieldType, typeOfValue } from '../../values/typed.ts'
import { valueExpression } from './columns.ts'
import { FALSE, type FieldSql, jsonb, jsonbArray, NO_FIELD, ordered, type Value } from './field-sql.ts'
import type { Comparison, Ordered } from './tree.ts'

/**
 * Returns the SQL for a field that is compared as jsonb: Number, Boolean, Date, Bytes and Object. Within each type, jsonb has the
 * order of the values; for Dates because their canonical `iso` is the first member compared.
 */
export function jsonField(field: string, type: FieldType): FieldSql {
  const value = valueExpression(field)
  const fits = (operand: Value) => typeOfValue(operand)?.type === type.type
  return {
    ...NO_FIELD,
    equal: (operand) => (fits(operand) ? sql`${value} = ${jsonb(operand)}` : FALSE),
    isNull: () => sql`(${value} IS NULL OR ${value} = 'null'::jsonb)`,
    oneOf: (operands) => oneOf(value, operands.filter(fits)),
    compare: (operator, operand) => (fits(operand) ? compare(value, operator, operand) : FALSE),
    exists: () => sql`${value} IS NOT NULL`,
    among: (values) => sql`${value} IN (${values})`,
  }
}

function oneOf(value: Sql, operands: readonly Value[]): Sql {
  return operands.length === 0 ? FALSE : sql`${value} = ANY(${jsonbArray(operands)})`
}

/** Compares values. Null is the smallest jsonb value, so it must be excluded from upper bounds. */
function compare(value: Sql, operator: Comparison, operand: Ordered): Sql {
  const comparison = ordered(value, operator, jsonb(operand))
  return operator === '<' || operator === '<=' ? sql`${comparison} AND ${value} > 'null'::jsonb` : comparison
}
