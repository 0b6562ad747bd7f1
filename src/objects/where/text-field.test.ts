import { afterAll, beforeAll, expect, it } from 'vitest'
import { contextOf, openScratchSchema, type ScratchSchema } from '../../../test/support/scratch-schema.ts'
import { matches, type StoredObject } from './matches.ts'
import { parseWhere } from './parse.ts'
import { whereToSql } from './to-sql.ts'

/** Texts around the length of the key: 200 characters, of two UTF-16 units each. */
const stem = '😀'.repeat(198)
const TEXTS = [
  '',
  'a',
  stem,
  `${stem}a`,
  `${stem}ab`,
  `${stem}abc`,
  `${stem}abd`,
  `${stem}b`,
  `${stem}ba`,
  `${stem}ac`,
  `${stem}a😀`,
  `${stem}a😀a`,
  'z',
]

let schema: ScratchSchema
let objects: readonly StoredObject[]

beforeAll(async () => {
  schema = await openScratchSchema()
  await schema.createClass('Item')
  const time = '2020-01-01T00:00:00.000Z'
  objects = TEXTS.map((f, index) => ({
    id: String.fromCharCode(65 + index),
    createdAt: time,
    updatedAt: time,
    data: { f },
  }))
  await schema.insert('Item', objects)
})
afterAll(() => schema?.close())

it.each<[operator: string, operand: (text: string) => unknown]>([
  ['$eq', (text) => ({ $eq: text })],
  ['$ne', (text) => ({ $ne: text })],
  ['$in', (text) => ({ $in: [text, 'a'] })],
  ['$nin', (text) => ({ $nin: [text, `${stem}a`] })],
  ['$lt', (text) => ({ $lt: text })],
  ['$lte', (text) => ({ $lte: text })],
  ['$gt', (text) => ({ $gt: text })],
  ['$gte', (text) => ({ $gte: text })],
  ['$regex with a literal start', (text) => ({ $regex: `^\\Q${text}\\E` })],
])('compares long texts as a whole with %s', async (_operator, operand) => {
  const context = contextOf(schema, { Item: { f: { type: 'String' } } })
  for (const text of TEXTS) {
    const where = parseWhere({ f: operand(text) })
    const expected = objects.filter((object) => matches(where, object)).map((object) => object.id)
    expect(await schema.ids('Item', whereToSql(where, 'Item', context)), text.slice(-4)).toEqual(expected)
  }
})
