import { expect, it } from 'vitest'
import { titleFieldOf, titleIn } from './title-field.ts'

const classOf = (fields: Readonly<Record<string, string>>) => ({
  className: 'Post',
  fields: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }])),
  permissions: {},
  defaultAcl: {},
  indexes: [],
})

it.each<[fields: Readonly<Record<string, string>>, chosen: string | undefined, field: string | null]>([
  [{ title: 'String' }, undefined, 'title'],
  [{ title: 'String', name: 'String' }, undefined, 'name'],
  [{ username: 'String', nickname: 'String' }, undefined, 'username'],
  [{ name: 'Object', title: 'String' }, undefined, 'title'],
  [{ title: 'String', code: 'Number' }, 'code', 'code'],
  [{ title: 'String', place: 'GeoPoint' }, 'place', 'title'],
  [{ title: 'String' }, 'removed', 'title'],
  [{ body: 'Object' }, undefined, null],
  [{ constructor: 'Object' }, 'toString', null],
])('for a class with the fields %j and the choice %j is %j', (fields, chosen, field) => {
  expect(titleFieldOf(classOf(fields), chosen)).toBe(field)
})

it('is always a text or a number', () => {
  expect(titleIn({ t: 'a'.repeat(200) }, 't')).toHaveLength(80)
  expect(titleIn({ t: 7 }, 't')).toBe('7')
  for (const value of [null, undefined, {}, [], true]) expect(titleIn({ t: value }, 't')).toBe('')
  expect(titleIn({ t: 'a' }, null)).toBe('')
})
