import { type Sql, sql } from '../../database/sql.ts'
import { geoIndexExpression, jsonPath } from './columns.ts'
import { jsonb } from './field-sql.ts'
import { cuboidAround, longestChord, shortestChord, type Vector } from './geo.ts'
import { type Box, type GeoPoint, type Near, nearOf, type Where } from './tree.ts'

/**
 * Returns whether a point on the unit sphere is within the bounds of `$nearSphere`. The cube around the center finds candidates
 * by the index, and the length of the chord decides.
 */
export function nearSql(point: Sql, near: Near): Sql {
  const [longest, shortest] = [longestChord(near), shortestChord(near)]
  const distance = distanceSql(point, near)
  const within =
    longest === null
      ? sql`${point} IS NOT NULL`
      : sql`${point} OPERATOR(homeport.<@) homeport.cube_enlarge(${pointSql(near.centre)}, ${longest}::float8, 3)
        AND ${distance} <= ${longest}::float8`
  return shortest === null ? within : sql`${within} AND ${distance} >= ${shortest}::float8`
}

/** Returns whether a GeoPoint is in a box: a cuboid for the index, then latitude and longitude. */
export function boxSql(point: Sql, value: Sql, box: Box): Sql {
  const { lowest, highest } = cuboidAround(box)
  const longitude = sql`${value}->'longitude'`
  const [west, east] = [jsonb(box.west), jsonb(box.east)]
  return sql`${point} OPERATOR(homeport.&&) homeport.cube(${vector(lowest)}, ${vector(highest)})
    AND ${value}->'latitude' BETWEEN ${jsonb(box.south)} AND ${jsonb(box.north)}
    AND ${
      box.west <= box.east
        ? sql`${longitude} BETWEEN ${west} AND ${east}`
        : sql`(${longitude} >= ${west} OR ${longitude} <= ${east})`
    }`
}

/**
 * Returns the item of ORDER BY that puts the nearest objects first (protocol/storage, Where operators: `$nearSphere`), null if
 * the condition has no `$nearSphere`. Along a dotted path the nearest of the points reached counts.
 *
 * It should be the only item: before PostgreSQL 17, a second one keeps the index from being used.
 */
export function nearOrder(where: Where): Sql | null {
  const near = nearOf(where)
  if (near === null) return null
  if (near.path.length === 1) return distanceSql(geoIndexExpression(near.path[0]), near)
  const point = sql`homeport.geo_point(reached.value)`
  return sql`(
    SELECT min(${distanceSql(point, near)})
    FROM jsonb_path_query(data, ${jsonPath(near.path, true)}) AS reached(value))`
}

function distanceSql(point: Sql, near: Near): Sql {
  return sql`${point} OPERATOR(homeport.<->) ${pointSql(near.centre)}`
}

function pointSql(point: GeoPoint): Sql {
  const { latitude, longitude } = point
  return sql`homeport.geo_point(${jsonb({ __type: 'GeoPoint', latitude, longitude })})`
}

function vector(values: Vector): Sql {
  return sql`${values.map(String)}::float8[]`
}
