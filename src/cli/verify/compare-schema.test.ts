import { describe, expect, test } from 'vitest'
import { inEnglish } from '../../notices/in-english.ts'
import type { Permission } from '../../objects/access/permissions.ts'
import type { JsonObject } from '../../values/json.ts'
import type { ShownClass } from '../shown-class.ts'
import { isAclWithin, isPermissionWithin } from './access-within.ts'
import { type ComparedSchema, compareSchema } from './compare-schema.ts'

const some = (users: string[], roles: string[]): Permission => ({ users, roles })

test.each<[one: Permission, other: Permission, isWithin: boolean]>([
  ['public', 'public', true],
  ['public', 'users', false],
  ['public', 'master', false],
  ['users', 'public', true],
  ['users', some(['a'], ['x']), false],
  ['users', 'master', false],
  ['master', 'master', true],
  ['master', some([], []), true],
  [some([], []), 'master', true],
  [some(['a'], []), 'master', false],
  [some(['a'], []), 'users', true],
  [some(['a'], []), some(['a', 'b'], ['x']), true],
  [some(['a'], ['y']), some(['a', 'b'], ['x']), false],
  [some([], ['x']), some([], ['x']), true],
])('a class for %j grants access only to callers of %j: %s', (one, other, isWithin) => {
  expect(isPermissionWithin(one, other)).toBe(isWithin)
})

const [read, write, both] = [{ read: true }, { write: true }, { read: true, write: true }]

test.each<[one: JsonObject, other: JsonObject, isWithin: boolean]>([
  [{}, {}, true],
  [{}, { '*': both }, true],
  [{ '*': read }, {}, false],
  [{ '*': both }, { '*': read }, false],
  [{ _owner: both }, { '*': both }, true],
  [{ _owner: both }, { '*': read }, false],
  [{ _owner: both }, { '*': read, _owner: write }, true],
  [{ 'role:x': read }, { 'role:y': read }, false],
])('an ACL %j grants only rights of %j: %s', (one, other, isWithin) => {
  expect(isAclWithin(one, other)).toBe(isWithin)
})

const texts = ({ faults, notes }: ComparedSchema) => ({ faults: faults.map(inEnglish), notes: notes.map(inEnglish) })

describe('classes', () => {
  const here: ShownClass = {
    className: 'Post',
    fields: { title: { type: 'String' }, url: { type: 'String' } },
    permissions: { find: 'public', get: 'users' },
    defaultAcl: { '*': both },
    indexes: ['unique url', 'title'],
  }
  const compare = (hosted: object, more: Partial<ShownClass> = {}, made: readonly string[] = []) =>
    texts(compareSchema(new Map([['Post', hosted]]), [{ ...here, ...more }], () => made))

  test('are not safe when fields, unique indexes or the classes are missing', () => {
    const hosted = {
      schema: { title: { type: 'Number' }, n: { type: 'Number' } },
      indexes: [{ key: { url: 1, title: 1 }, unique: true }, { key: { n: 1 } }],
    }
    expect(compare(hosted)).toEqual({
      faults: [
        'Post.title: type is String in the app, Number in the source',
        'Post: field n is missing in the app',
        'Post: unique index unique url,title is missing in the app, so values can be duplicated',
      ],
      notes: [],
    })
    expect(texts(compareSchema(new Map([['Other', {}]]), [here], () => [])).faults).toEqual([
      'class Other is missing in the app',
    ])
  })

  test('need no index over missing fields, and no class that cannot exist here', () => {
    const hosted = {
      indexes: [
        { key: { subscriptionUri: 1 }, unique: true, name: 'subscriptionUri_1' },
        { key: { url: 1, gone: 1 }, unique: true },
        { key: { 'meta.deep': 1 }, unique: true },
      ],
    }
    expect(compare(hosted, { indexes: [] })).toEqual({
      faults: [],
      notes: [
        "Post: index unique subscriptionUri: the class has no field 'subscriptionUri'",
        "Post: index unique url,gone: the class has no field 'gone'",
      ],
    })
    const product = { schema: { name: { type: 'String' } } }
    expect(texts(compareSchema(new Map([['_Product', product]]), [here], () => []))).toEqual({
      faults: [],
      notes: ['_Product: not a built-in class of Homeport'],
    })
  })

  test('may have more indexes, which are noted when an administrator created them', () => {
    expect(compare({ indexes: [{ key: { title: 1 } }] }, {}, ['unique url', 'title'])).toEqual({
      faults: [],
      notes: ['Post: indexes that only the app has: unique url'],
    })
  })

  test('are not safe when a permission of the source was not understood, and the class is public here', () => {
    const hosted = { permissions: { find: { teams: ['x'] }, get: { teams: ['x'] } } }
    const text = (operation: string) => `Post: permission ${operation}: unknown value: {"teams":["x"]}`
    expect(compare(hosted)).toEqual({ faults: [text('find')], notes: [text('get')] })
    const acl = { schema: { ACL: { type: 'ACL', default: { teams: 7 } } } }
    expect(compare(acl).faults).toEqual([expect.stringMatching(/^Post: default ACL: /)])
    expect(compare(acl, { defaultAcl: {} })).toEqual({
      faults: [],
      notes: [expect.stringMatching(/^Post: default ACL: /)],
    })
    expect(compare({ permissions: 7 }).faults).toEqual(['Post: permissions: must be an object'])
  })
})
