import { geoIndexExpression, valueExpression } from './columns.ts'
import type { FieldSql } from './field-sql.ts'
import { boxSql, nearSql } from './geo-sql.ts'
import { jsonField } from './json-field.ts'

/** Returns the SQL for a GeoPoint field, whose index holds its location on the unit sphere. */
export function geoField(field: string): FieldSql {
  const point = geoIndexExpression(field)
  return {
    ...jsonField(field, { type: 'GeoPoint' }),
    near: (near) => nearSql(point, near),
    box: (box) => boxSql(point, valueExpression(field), box),
  }
}
