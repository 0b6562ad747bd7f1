import { expect, it } from 'vitest'
import type { FieldType } from '../../values/typed.ts'
import { makeSchema } from './class-schema.ts'
import type { Field } from './field.ts'
import { schemaEntry } from './schema-listing.ts'

it('lists system fields and those of the class, with the target classes of pointers and relations', () => {
  const types: [string, FieldType][] = [
    ['title', { type: 'String' }],
    ['author', { type: 'Pointer', className: '_User' }],
    ['likes', { type: 'Relation', className: '_User' }],
    ['__proto__', { type: 'Number' }],
  ]
  const fields = new Map(
    types.map(([name, type]): [string, Field] => [name, { name, type, options: { hidden: true } }]),
  )
  const schema = makeSchema('app_1', { name: 'Post', tableName: 'Post', permissions: {}, defaultAcl: null }, fields)
  expect(JSON.stringify(schemaEntry(schema))).toBe(
    JSON.stringify({
      objectId: { type: 'String' },
      createdAt: { type: 'Date' },
      updatedAt: { type: 'Date' },
      ACL: { type: 'ACL' },
    })
      .slice(0, -1)
      .concat(
        ',"title":{"type":"String"},"author":{"type":"Pointer","className":"_User"},',
        '"likes":{"type":"Relation","className":"_User"},"__proto__":{"type":"Number"}}',
      ),
  )
})
