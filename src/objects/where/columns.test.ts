import { describe, expect, it } from 'vitest'
import { type Sql, toQuery } from '../../database/sql.ts'
import type { FieldType } from '../../values/typed.ts'
import { containmentIndex, geoIndex, jsonPath, orderExpressions, sortedIndex } from './columns.ts'

const text = (piece: Sql) => toQuery(piece).text
const string: FieldType = { type: 'String' }

describe('indexes', () => {
  it.each<[field: string, type: FieldType | undefined, definition: string]>([
    ['name', string, `USING btree ((left(data->>'name', 200)) ASC NULLS FIRST)`],
    ['n', { type: 'Number' }, `USING btree (((data->'n')) ASC NULLS FIRST)`],
    ['at', { type: 'Date' }, `USING btree (((data->'at')) ASC NULLS FIRST)`],
    ['p', { type: 'Pointer', className: 'Post' }, `USING btree (((data->'p'->>'objectId')) ASC NULLS FIRST)`],
    ['photo', { type: 'File' }, `USING btree (((data->'photo'->>'id')) ASC NULLS FIRST)`],
    ['createdAt', undefined, 'USING btree ((created_at) ASC)'],
  ])('on %s: %o', (field, type, definition) => {
    expect(text(sortedIndex(field, type))).toBe(definition)
  })

  it('contain the values of arrays and dotted paths', () => {
    expect(text(containmentIndex(['tags'], { type: 'Array' }))).toBe(`USING gin (((data->'tags')) jsonb_path_ops)`)
    expect(text(containmentIndex(['o', 'city'], { type: 'Object' }))).toBe(
      `USING gin ((jsonb_path_query_array(data, '$."o"."city"[*]')) jsonb_path_ops)`,
    )
  })

  it('contain the location of GeoPoints', () => {
    expect(text(geoIndex('loc'))).toBe(`USING gist ((homeport.geo_point(data->'loc')))`)
  })
})

describe('order', () => {
  it.each<[path: string[], type: FieldType | undefined, direction: 'ascending' | 'descending', items: string[]]>([
    [['name'], string, 'ascending', [`left(data->>'name', 200) ASC NULLS FIRST`, `(data->>'name') ASC NULLS FIRST`]],
    [['n'], { type: 'Number' }, 'descending', [`(data->'n') DESC NULLS LAST`]],
    [['o', 'city'], undefined, 'ascending', [`jsonb_path_query_first(data, '$."o"."city"') ASC NULLS FIRST`]],
    [['objectId'], undefined, 'descending', ['id DESC']],
    [['updatedAt'], undefined, 'ascending', ['updated_at ASC']],
  ])('by %j as %o %s', (path, type, direction, items) => {
    expect(orderExpressions(path, type, direction).map(text)).toEqual(items)
  })
})

it.each([
  [['a', `it's`], `'$."a"."it''s"'`],
  [['a', 'q"q'], `E'$."a"."q\\\\"q"'`],
  [['a', 'b\\c'], `E'$."a"."b\\\\\\\\c"'`],
] as const)('converts the path %j to the literal %s', (path, expected) => {
  expect(text(jsonPath(path, false))).toBe(expected)
})
