import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contextOf, openScratchSchema, type ScratchSchema } from '../../../test/support/scratch-schema.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { JsonObject } from '../../values/json.ts'
import type { FieldType } from '../../values/typed.ts'
import { nearOrder } from './geo-sql.ts'
import { parseWhere } from './parse.ts'
import { whereToSql } from './to-sql.ts'
import type { WhereContext } from './where-context.ts'

const TYPES: Record<string, Record<string, FieldType>> = {
  Comment: {
    text: { type: 'String' },
    post: { type: 'Pointer', className: 'Post' },
    posts: { type: 'Array' },
    likes: { type: 'Relation', className: '_User' },
    made: { type: 'Date' },
    photo: { type: 'File' },
  },
  Post: { title: { type: 'String' }, rank: { type: 'Number' }, place: { type: 'GeoPoint' }, tags: { type: 'Array' } },
  _User: { name: { type: 'String' } },
}
const LONG = 'x'.repeat(250)
const post = (objectId: string) => ({ __type: 'Pointer', className: 'Post', objectId })
const user = (objectId: string) => ({ __type: 'Pointer', className: '_User', objectId })
const comment = { __type: 'Pointer', className: 'Comment', objectId: 'c1' }

let schema: ScratchSchema
let context: WhereContext

beforeAll(async () => {
  schema = await openScratchSchema()
  context = contextOf(schema, TYPES)
  await insert('Post', {
    p1: { title: 'one', rank: 1, place: { __type: 'GeoPoint', latitude: 0, longitude: 3 }, tags: ['a', 'b'] },
    p2: { title: 'two', rank: 2, place: { __type: 'GeoPoint', latitude: 0, longitude: 1 } },
    p3: { title: LONG, rank: 3, place: { __type: 'GeoPoint', latitude: 0, longitude: 2 }, tags: null },
  })
  await insert('Comment', {
    c1: {
      text: 'one',
      post: post('p1'),
      posts: [post('p1'), post('p2')],
      made: { __type: 'Date', iso: '2020-01-01T00:00:00.000Z' },
    },
    c2: { text: 'two', post: post('p2'), posts: [], photo: { __type: 'File', id: 'f1' } },
    c3: { text: LONG, post: post('p3'), posts: [user('p3')] },
    c4: { text: `${LONG}!`, post: null },
  })
  await insert('_User', { u1: { name: 'one' }, u2: { name: 'p2' } })
  await schema.run(sql`
    INSERT INTO ${schema.relations} (owner_class, owner_id, field, related_id)
    VALUES ('Comment', 'c1', 'likes', 'u1'), ('Comment', 'c1', 'likes', 'u2'), ('Comment', 'c2', 'likes', 'u2'), ('Comment', 'c3', 'other', 'u1')`)
})
afterAll(() => schema?.close())

async function insert(className: string, objects: Readonly<Record<string, JsonObject>>): Promise<void> {
  await schema.createClass(className)
  const time = '2020-01-01T00:00:00.000Z'
  await schema.insert(
    className,
    Object.entries(objects).map(([id, data]) => ({ id, createdAt: time, updatedAt: time, data })),
  )
}

const find = (className: string, wire: unknown, by = context) =>
  schema.ids(className, whereToSql(parseWhere(wire), className, by))

describe('inner queries', () => {
  const where = { rank: { $lt: 3 } }
  it.each<[rule: string, wire: unknown, found: string[]]>([
    ['$inQuery: the Pointer is in the result', { post: { $inQuery: { className: 'Post', where } } }, ['c1', 'c2']],
    ['$notInQuery is its negation', { post: { $notInQuery: { className: 'Post', where } } }, ['c3', 'c4']],
    ['without className the class is that of the column', { post: { $inQuery: { where } } }, ['c1', 'c2']],
    ['a Pointer to another class is not in the result', { post: { $inQuery: { className: '_User' } } }, []],
    ['elements of an array count', { posts: { $inQuery: { className: 'Post', where: { rank: 2 } } } }, ['c1']],
    ['elements of another class do not', { posts: { $inQuery: { className: 'Post', where: { rank: 3 } } } }, []],
    [
      'inside $or',
      { $or: [{ post: { $inQuery: { className: 'Post', where: { rank: 1 } } } }, { text: 'two' }] },
      ['c1', 'c2'],
    ],
    ['a class that does not exist is empty', { post: { $inQuery: { className: 'Gone' } } }, []],
    ['and not in it is everything', { post: { $notInQuery: { className: 'Gone' } } }, ['c1', 'c2', 'c3', 'c4']],
    ['limit and order choose', { post: { $inQuery: { className: 'Post', order: '-rank', limit: 1 } } }, ['c3']],
    [
      'skip passes over',
      { post: { $inQuery: { className: 'Post', order: 'title', limit: '2', skip: '1' } } },
      ['c2', 'c3'],
    ],
    ['without order the ids decide', { post: { $inQuery: { className: 'Post', limit: 1 } } }, ['c1']],
    [
      '$nearSphere orders by distance',
      {
        post: {
          $inQuery: {
            className: 'Post',
            limit: 1,
            where: { place: { $nearSphere: { __type: 'GeoPoint', latitude: 0, longitude: 0 } } },
          },
        },
      },
      ['c2'],
    ],
    [
      'inner queries nest',
      {
        post: {
          $inQuery: {
            className: 'Post',
            where: { title: { $select: { query: { className: '_User' }, key: 'name' } } },
          },
        },
      },
      ['c1'],
    ],
    [
      '$select: the value is among the values of the key',
      { text: { $select: { query: { className: 'Post', where }, key: 'title' } } },
      ['c1', 'c2'],
    ],
    [
      '$select compares long texts in full',
      { text: { $select: { query: { className: 'Post' }, key: 'title' } } },
      ['c1', 'c2', 'c3'],
    ],
    ['$dontSelect is its negation', { text: { $dontSelect: { query: { className: 'Post' }, key: 'title' } } }, ['c4']],
    [
      'a key without a value excludes no object',
      { text: { $dontSelect: { query: { className: 'Post' }, key: 'missing' } } },
      ['c1', 'c2', 'c3', 'c4'],
    ],
    [
      '$select of an objectId',
      { 'post.objectId': { $select: { query: { className: '_User' }, key: 'name' } } },
      ['c2'],
    ],
    [
      '$select by objectId',
      { objectId: { $select: { query: { className: 'Comment', where: { text: 'two' } }, key: 'objectId' } } },
      ['c2'],
    ],
    [
      '$select by createdAt',
      { createdAt: { $select: { query: { className: 'Post' }, key: 'updatedAt' } } },
      ['c1', 'c2', 'c3', 'c4'],
    ],
    [
      '$select of a Date from createdAt',
      { made: { $select: { query: { className: 'Post' }, key: 'createdAt' } } },
      ['c1'],
    ],
    [
      '$select of a Pointer',
      { post: { $select: { query: { className: 'Comment', where: { text: 'two' } }, key: 'post' } } },
      ['c2'],
    ],
    [
      '$select of array elements',
      { posts: { $select: { query: { className: 'Comment', where: { text: 'two' } }, key: 'post' } } },
      ['c1'],
    ],
    [
      '$select of whole arrays',
      { posts: { $select: { query: { className: 'Comment', where: { text: 'two' } }, key: 'posts' } } },
      ['c2'],
    ],
    ['$select of a File', { photo: { $select: { query: { className: 'Comment' }, key: 'photo' } } }, ['c2']],
    ['$select along a dotted key', { text: { $select: { query: { className: 'Comment' }, key: 'made.__type' } } }, []],
  ])('%s', async (_rule, wire, found) => {
    expect(await find('Comment', wire)).toEqual(found)
  })

  it('rejects an inner query without className on a field that is not a Pointer', () => {
    expect(() => whereToSql(parseWhere({ text: { $inQuery: { where } } }), 'Comment', context)).toThrow(
      expect.objectContaining({ code: 102, message: expect.stringMatching(/'text'/) }),
    )
  })

  it('apply the permissions of the caller', async () => {
    const blind: WhereContext = { ...context, visible: () => sql`id <> ${'p1'}` }
    expect(await find('Comment', { post: { $inQuery: { className: 'Post' } } }, blind)).toEqual(['c2', 'c3'])
    const closed: WhereContext = {
      ...context,
      visible: (name) => {
        throw errors.classForbidden('find', name)
      },
    }
    await expect(async () =>
      find('Comment', { post: { $inQuery: { className: 'Post' } } }, closed),
    ).rejects.toMatchObject({ status: 403 })
  })
})

describe('relations', () => {
  it.each<[rule: string, className: string, wire: unknown, found: string[]]>([
    ['$relatedTo gives the members', '_User', { $relatedTo: { object: comment, key: 'likes' } }, ['u1', 'u2']],
    [
      '$relatedTo stands with other conditions',
      '_User',
      { $relatedTo: { object: comment, key: 'likes' }, name: 'one' },
      ['u1'],
    ],
    [
      '$relatedTo inside $and',
      '_User',
      { $and: [{ $relatedTo: { object: comment, key: 'likes' } }, { name: 'p2' }] },
      ['u2'],
    ],
    ['a relation that does not exist has no members', '_User', { $relatedTo: { object: comment, key: 'nothing' } }, []],
    ['a relation equals each Pointer in it', 'Comment', { likes: user('u2') }, ['c1', 'c2']],
    ['given as members', 'Comment', { likes: { members: user('u1') } }, ['c1']],
    ['but none of another class', 'Comment', { likes: post('u1') }, []],
    ['$in of Pointers', 'Comment', { likes: { $in: [user('u1'), user('u9')] } }, ['c1']],
    ['$ne', 'Comment', { likes: { $ne: user('u1') } }, ['c2', 'c3', 'c4']],
    ['$nin', 'Comment', { likes: { $nin: [user('u1'), user('u2')] } }, ['c3', 'c4']],
    ['$all', 'Comment', { likes: { $all: [user('u1'), user('u2')] } }, ['c1']],
    ['$inQuery', 'Comment', { likes: { $inQuery: { where: { name: 'p2' } } } }, ['c1', 'c2']],
  ])('%s', async (_rule, className, wire, found) => {
    expect(await find(className, wire)).toEqual(found)
  })
})

it('orders by $nearSphere, nearest first', async () => {
  const where = parseWhere({ place: { $nearSphere: { __type: 'GeoPoint', latitude: 0, longitude: 0 } } })
  const rows = await schema.run(
    sql`SELECT id FROM ${schema.table('Post')} WHERE ${whereToSql(where, 'Post', context)} ORDER BY ${nearOrder(where)!}`,
  )
  expect(rows.map((row) => row.id)).toEqual(['p2', 'p3', 'p1'])
  expect(nearOrder(parseWhere({ rank: 1 }))).toBeNull()
})
