import { join, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Json } from '../../values/json.ts'
import { anyField } from './any-field.ts'
import { FALSE, type FieldSql, TRUE, type Value } from './field-sql.ts'
import { geoField } from './geo-field.ts'
import { jsonField } from './json-field.ts'
import { type Path, showPath } from './path.ts'
import { fileType, referenceField } from './reference-field.ts'
import { relationField } from './relation-field.ts'
import { selectIds, selectValues } from './sub-query-sql.ts'
import { idField, timeField } from './system-field.ts'
import { textField } from './text-field.ts'
import type { SubQuery, Where } from './tree.ts'
import type { WhereContext } from './where-context.ts'

/**
 * Compiles the condition to a boolean expression over a row of the class, for WHERE. It can be combined with `AND` without
 * parentheses, and may be NULL instead of FALSE.
 *
 * Columns (`id`, `data`, `created_at`, `updated_at`) are not qualified: they refer to the innermost class table. So the statement
 * has one class table in its FROM, and each sub-query has its own.
 * @example
 * // Where `score` is a Number of Post: (data->'score') > $1::jsonb
 * whereToSql(parseWhere({ score: { $gt: 10 } }), 'Post', context)
 * @throws ApiError 102 for a sub-query whose class is unknown, and what `context.visible` throws
 */
export function whereToSql(where: Where, className: string, context: WhereContext): Sql {
  switch (where.kind) {
    case 'and':
      return where.of.length === 0 ? TRUE : join(translateAll(where.of, className, context), ' AND ')
    case 'or':
      return where.of.length === 0 ? FALSE : sql`(${join(translateAll(where.of, className, context), ' OR ')})`
    case 'not':
      // IS NOT TRUE, because NULL counts as FALSE here and NOT would leave it NULL.
      return sql`(${whereToSql(where.of, className, context)}) IS NOT TRUE`
    case 'relatedTo':
      return relatedToSql(where, context)
    case 'inQuery':
      return inQuerySql(where.path, where.query, className, context)
    case 'select': {
      const values = selectValues(where.query, where.query.className!, where.key, context, whereToSql)
      return values === null ? FALSE : fieldSql(where.path, className, context).among(values)
    }
    default:
      return fieldConditionSql(where, fieldSql(where.path, className, context))
  }
}

/**
 * Compiles `$relatedTo`. The members of a relation are visible to callers that may read the object and the field of the relation.
 */
function relatedToSql(
  { className, objectId, field }: Extract<Where, { kind: 'relatedTo' }>,
  context: WhereContext,
): Sql {
  const owners = context.table(className)
  if (owners === null) return FALSE
  context.typeOf(className, field)
  return sql`(
    id IN (
      SELECT related_id
      FROM ${context.relations}
      WHERE owner_class = ${className}::text AND owner_id = ${objectId}::text AND field = ${field}::text)
    AND EXISTS (SELECT FROM ${owners} WHERE id = ${objectId}::text AND ${context.visible(className, 'get')}))`
}

function translateAll(conditions: readonly Where[], className: string, context: WhereContext): Sql[] {
  return conditions.map((condition) => whereToSql(condition, className, context))
}

type FieldCondition = Extract<Where, { path: Path }>

function fieldConditionSql(where: Exclude<FieldCondition, { query: SubQuery }>, field: FieldSql): Sql {
  switch (where.kind) {
    case 'equal':
      return where.value === null ? field.isNull() : field.equal(where.value)
    case 'oneOf':
      return oneOfSql(where.values, field)
    case 'compare':
      return field.compare(where.operator, where.value)
    case 'exists':
      return field.exists()
    case 'size':
      return field.size(where.size)
    case 'pattern':
      return field.pattern(where.pattern)
    case 'near':
      return field.near(where)
    case 'box':
      return field.box(where)
  }
}

function oneOfSql(values: readonly Json[], field: FieldSql): Sql {
  const present = values.filter((value): value is Value => value !== null)
  if (present.length === values.length) return field.oneOf(present)
  return present.length === 0 ? field.isNull() : sql`(${field.oneOf(present)} OR ${field.isNull()})`
}

/**
 * Compiles `$inQuery`. Without a `className`, the sub-query is over the class of the pointer field (protocol/storage, Where
 * operators).
 */
function inQuerySql(path: Path, query: SubQuery, className: string, context: WhereContext): Sql {
  const type = path.length === 1 ? context.typeOf(className, path[0]) : undefined
  const target = query.className ?? (type && 'className' in type ? type.className : null)
  if (target === null) {
    throw errors.invalidQuery(
      `The inner query of '${showPath(path)}' needs a 'className', because the field is not a Pointer.`,
    )
  }
  const ids = selectIds(query, target, context, whereToSql)
  return ids === null ? FALSE : fieldSql(path, className, context).pointsTo(target, ids)
}

/** Returns the SQL for the field at the end of a path, by its storage form. */
function fieldSql(path: Path, className: string, context: WhereContext): FieldSql {
  const [field] = path
  if (field === 'objectId') return path.length === 1 ? idField() : anyField(path, undefined)
  if (field === 'createdAt' || field === 'updatedAt')
    return path.length === 1 ? timeField(field) : anyField(path, undefined)
  const type = context.typeOf(className, field)
  if (path.length > 1 || type === undefined) return anyField(path, type)
  switch (type.type) {
    case 'String':
      return textField(field)
    case 'Number':
    case 'Boolean':
    case 'Date':
    case 'Bytes':
    case 'Object':
    case 'ACL':
      return jsonField(field, type)
    case 'GeoPoint':
      return geoField(field)
    case 'Pointer':
      return referenceField(field, { type: 'Pointer', className: type.className })
    case 'File':
      return referenceField(field, fileType())
    case 'Relation':
      return relationField(context.relations, className, field, type.className)
    case 'Array':
    case 'Any':
      return anyField(path, type)
  }
}
