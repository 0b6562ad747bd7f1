import { describe, expect, it } from 'vitest'
import type { HostedClass } from '../import/forms/form.ts'
import { inEnglish } from '../notices/in-english.ts'
import type { Json } from '../values/json.ts'
import { wantedClass } from './hosted-schema.ts'

const wanted = (parts: HostedClass, className = 'Post') => {
  const { notes, ...found } = wantedClass(className, parts)
  return { ...found, notes: notes.map(inEnglish) }
}

it('reads a schema export of the hosted service (protocol/moving-in, Schema export)', () => {
  const schema = {
    objectId: { type: 'String' },
    createdAt: { type: 'Date' },
    updatedAt: { type: 'Date' },
    ACL: { type: 'ACL', default: { _owner: { read: true, write: true } } },
    nickName: { type: 'String', v: 2, required: true, comment: 'shown to others' },
    secret: { type: 'Object', hidden: true, read_only: true, required: false, comment: '' },
    author: { type: 'Pointer', className: '_User', v: 2 },
    score: { type: 'Number', default: 0 },
    n: { type: 'Number', auto_increment: true },
  }
  const indexes = [{ unique: true, sparse: true, key: { nickName: 1 }, name: 'nickName_1' }]
  const permissions = { find: { '*': false }, get: { '*': true } }
  expect(wanted({ schema, indexes, permissions })).toEqual({
    fields: {
      nickName: { type: 'String', required: true, comment: 'shown to others' },
      secret: { type: 'Object', hidden: 'results', readOnly: true },
      author: { type: 'Pointer', className: '_User' },
      score: { type: 'Number', default: 0 },
      n: { type: 'Number', autoIncrement: true },
    },
    permissions: { find: 'master', get: 'public' },
    defaultAcl: { _owner: { read: true, write: true } },
    indexes: [{ fields: ['nickName'], unique: true }],
    notes: [],
    unknownAccess: [],
  })
})

describe('permissions', () => {
  it.each<[hosted: Json, permission: unknown]>([
    [{ '*': true }, 'public'],
    [{ '*': true, users: '', roles: 'editor' }, 'public'],
    [{ '*': false }, 'master'],
    [{}, 'master'],
    [{ users: '', roles: '' }, 'master'],
    [{ users: [], roles: [] }, 'master'],
    [{ onlySignInUsers: true, users: '', roles: 'administrator' }, 'users'],
    [
      { '*': false, onlySignInUsers: false, roles: 'administrator' },
      { users: [], roles: ['administrator'] },
    ],
    [
      { users: 'a1, b2', roles: 'x,y' },
      { users: ['a1', 'b2'], roles: ['x', 'y'] },
    ],
    [
      { users: ['a1'], roles: ['x', 'y'] },
      { users: ['a1'], roles: ['x', 'y'] },
    ],
  ])('reads %j as %j', (hosted, permission) => {
    const { permissions, notes } = wanted({ permissions: { add_fields: hosted } })
    expect([permissions, notes]).toEqual([{ addField: permission }, []])
  })

  it.each<[name: string, hosted: Json]>([
    ['delete', { everybody: true }],
    ['delete', { '*': 'yes' }],
    ['delete', { users: 7 }],
    ['delete', { users: [7] }],
    ['delete', true],
    ['read', { '*': true }],
  ])('reports %s %j as not understood', (name, hosted) => {
    const { permissions, notes } = wanted({ permissions: { [name]: hosted } })
    expect([permissions, notes]).toEqual([{}, [expect.stringMatching(new RegExp(`^permission ${name}: `))]])
  })
})

describe('indexes', () => {
  it.each<[index: Json, found: unknown]>([
    [{ key: { a: 1 } }, { fields: ['a'], unique: false }],
    [{ key: { a: 1, createdAt: -1 } }, { fields: ['a', '-createdAt'], unique: false }],
    [
      { key: { a: 1, b: -1 }, unique: true, sparse: true },
      { fields: ['a', 'b'], unique: true },
    ],
    [{ key: { 'owner.$id': 1 } }, { fields: ['owner'], unique: false }],
  ])('reads %j', (index, found) => {
    expect(wanted({ indexes: [index] })).toMatchObject({ indexes: [found], notes: [] })
  })

  it.each<[what: string, key: string, column: Json, field: string | null]>([
    ['objectId of a Pointer', 'owner.objectId', { type: 'Pointer', className: '_User' }, 'owner'],
    ['$id of a Pointer', 'owner.$id', { type: 'Pointer', className: '_User' }, 'owner'],
    ['objectId of a File', 'owner.objectId', { type: 'File' }, 'owner'],
    ['objectId of a member', 'owner.objectId', { type: 'Object' }, null],
    ['another member of a Pointer', 'owner.name', { type: 'Pointer', className: '_User' }, null],
  ])('over %s', (_what, key, column, field) => {
    for (const unique of [false, true]) {
      const { indexes } = wanted({ schema: { owner: column }, indexes: [{ key: { [key]: 1, n: 1 }, unique }] })
      expect(indexes).toEqual(field === null ? [] : [{ fields: [field, 'n'], unique }])
    }
  })

  it.each<[className: string, key: Json]>([
    ['Post', { _id: 1 }],
    ['Post', { place: '2dsphere' }],
    ['_User', { email: 1 }],
    ['_User', { sessionToken: 1 }],
    ['_User', { 'authData.weixin.openid': 1 }],
    ['_Role', { name: 1 }],
  ])('omits on %s the built-in index %j', (className, key) => {
    expect(wanted({ indexes: [{ key, unique: true }] }, className)).toMatchObject({ indexes: [], notes: [] })
  })

  it.each<Json>([{ key: { 'a.b': 1 } }, { key: { a: 'text' } }, { key: {} }, {}, 'a', { key: { _r: 1 } }])(
    'reports %j as an index without a counterpart',
    (index) => {
      const { indexes, notes } = wanted({ indexes: [index] })
      expect([indexes, notes]).toEqual([[], [expect.stringMatching(/^index /)]])
    },
  )
})

it('hides hidden columns from results only, unless our own export hides them from queries too', () => {
  const { fields, notes } = wanted({
    schema: {
      a: { type: 'String', hidden: true },
      b: { type: 'String', hidden: true, hidden_from_queries: true },
      c: { type: 'String', hidden: false, hidden_from_queries: false },
      d: { type: 'Any', default: [1] },
    },
  })
  expect(notes).toEqual([])
  expect(fields).toEqual({
    a: { type: 'String', hidden: 'results' },
    b: { type: 'String', hidden: true },
    c: { type: 'String' },
    d: { type: 'Any', default: [1] },
  })
})

describe('omits and reports unknown parts', () => {
  it.each<[column: Json, field: unknown, note: RegExp]>([
    [{ type: 'Thing' }, undefined, /^field a: unknown type: .*Thing/],
    [{ type: 'Pointer' }, undefined, /unknown type/],
    ['String', undefined, /unknown type/],
    [{ type: 'String', shiny: true }, { type: 'String' }, /unknown option shiny: true/],
    [{ type: 'String', required: 'yes' }, { type: 'String' }, /unknown option required: "yes"/],
    [{ type: 'Number', default: 'many' }, { type: 'Number' }, /default must be a Number: "many"/],
    [{ type: 'Date', default: '2020' }, { type: 'Date' }, /default must be a Date/],
    [{ type: 'String', user_private: true }, undefined, /userPrivate.*_User/],
  ])('of %j', (column, field, note) => {
    const { fields, notes } = wanted({ schema: { a: column } })
    expect(fields.a).toEqual(field)
    expect(notes).toEqual([expect.stringMatching(note)])
  })

  it('of an invalid field name', () => {
    const { fields, notes } = wanted({ schema: { 'a b': { type: 'String' } } })
    expect([fields, notes]).toEqual([{}, [expect.stringMatching(/a b/)]])
  })

  it('of a file with other content', () => {
    expect(wanted({ schema: [], permissions: 7, indexes: {} }).notes).toEqual([
      'schema: must be an object',
      'permissions: must be an object',
      'indexes: must be an array',
    ])
  })

  it('of an invalid default ACL', () => {
    const { defaultAcl, notes } = wanted({ schema: { ACL: { type: 'ACL', default: { 'a b': { read: true } } } } })
    expect([defaultAcl, notes]).toEqual([undefined, [expect.stringMatching(/^default ACL: .*a b/)]])
  })
})

it('omits secrets of users, keeps fields private to a user, and keeps the rules of built-in classes', () => {
  const { fields, notes } = wanted(
    {
      schema: {
        password: { type: 'String' },
        salt: { type: 'String' },
        sessionToken: { type: 'String' },
        birthday: { type: 'Date', user_private: true },
        username: { type: 'String', required: true },
        emailVerified: { type: 'String' },
      },
    },
    '_User',
  )
  expect(fields).toEqual({ birthday: { type: 'Date', userPrivate: true }, username: { type: 'String' } })
  expect(notes).toEqual([
    expect.stringMatching(/^field username: required/),
    expect.stringMatching(/emailVerified.*Boolean/),
  ])
})
