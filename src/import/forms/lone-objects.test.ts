import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../notices/in-english.ts'
import { notice } from '../../notices/notice.ts'
import { ByteReader } from '../sources/byte-reader.ts'
import { SourceFault } from '../sources/source-fault.ts'
import type { Form, FormOptions } from './form.ts'
import { recognise } from './recognise.ts'
import { hasRecords, recordsOf } from './records.ts'

const NO_OPTIONS: FormOptions = { className: undefined, relation: undefined }
const LIKES = { className: 'Post', field: 'likes', targetClass: null }

function readerOf(text: string, fault?: Error): ByteReader {
  async function* pieces() {
    const bytes = Buffer.from(text)
    for (let start = 0; start < bytes.length; start += 300_000) yield bytes.subarray(start, start + 300_000)
    if (fault) throw fault
  }
  return new ByteReader(pieces())
}

const formOf = (name: string, text: string, options = NO_OPTIONS) => recognise(name, readerOf(text), options)

/** Reads the records of a file with their class or relation; `null` for a record without a form. */
async function read(name: string, text: string, options = NO_OPTIONS, fault?: Error) {
  const form = await recognise(name, readerOf(text, fault), options)
  if (!hasRecords(form)) return form
  const found: [of: string | null, value: unknown][] = []
  try {
    for await (const record of recordsOf(form, readerOf(text, fault))) {
      const { form: own = form, reason } = record
      found.push([own && nameOf(own), reason ? inEnglish(reason) : JSON.parse(record.text)])
    }
  } catch (error) {
    if (error !== fault) throw error
  }
  return found
}

function nameOf(form: Form): string {
  if (!('of' in form)) return form.form
  return 'field' in form.of ? `${form.of.className}.${form.of.field}` : form.of.className
}

/** Writes the same value in the styles of people and programs. */
const spaced: readonly [string, (value: unknown) => string][] = [
  ['on one line', (value) => JSON.stringify(value)],
  ['on one line that ends', (value) => `${JSON.stringify(value)}\n`],
  ['over lines', (value) => JSON.stringify(value, null, 2)],
  ['behind a mark and spaces', (value) => `\ufeff\n ${JSON.stringify(value)}`],
]

const big = 'x'.repeat(1_500_000)
const comments = [{ objectId: 'c1', mail: 'a@example.org' }, { objectId: 'c2' }]
const backup = (more: object = {}) => ({
  type: 'waline',
  version: 1,
  time: 1700000000000,
  tables: ['Comment', 'Counter', 'Users'],
  data: { Comment: comments, Counter: [], Users: [{ objectId: 'u1', password: 'hash' }] },
  ...more,
})

describe.each(spaced)('%s', (_how, write) => {
  it.each<[string, object]>([
    ['package.json', { name: 'app', version: '1.0.0', files: ['dist'], dependencies: { a: '1' } }],
    ['Post.json', { n: 1 }],
    ['Post.json', {}],
    ['_User.json', { objectId: 'u1', username: 'ann', password: 'hash' }],
    ['Post.json', { tags: ['a', 'b'] }],
    ['Post.json', { Comment: comments, version: 1 }],
    ['Post.json', { Comment: [{ n: 1 }, 2] }],
    ['Post.json', { 'my list': comments }],
    ['Post.json', { data: { Comment: comments } }],
    ['waline.json', backup({ data: { Comment: {} } })],
    ['Post.json', { n: 1, text: big }],
    ['Post.json', { Comment: [{ text: big }], version: 1 }],
    ['x.json', { owningId: 'a', relatedId: 'b' }],
  ])('rejects a single object in %s: %.60j', async (name, value) => {
    expect(await formOf(name, write(value))).toMatchObject({ form: 'unknown' })
  })

  it('reads several classes from an object of lists', async () => {
    expect(await read('backup.json', write({ Comment: comments, Counter: [{ time: 1 }], Empty: [] }))).toEqual([
      ['Comment', comments[0]],
      ['Comment', comments[1]],
      ['Counter', { time: 1 }],
    ])
  })

  it('reads an object of lists that is larger than the inspected beginning', async () => {
    const found = await read('backup.json', write({ Comment: [{ text: big }], Counter: [{ time: 1 }] }))
    expect(found).toEqual([
      ['Comment', { text: big }],
      ['Counter', { time: 1 }],
    ])
  })

  it('reads the classes of a Waline backup, in any order of its members', async () => {
    const expected = [
      ['Comment', comments[0]],
      ['Comment', comments[1]],
      ['Users', { objectId: 'u1', password: 'hash' }],
    ]
    expect(await read('waline.json', write(backup()))).toEqual(expected)
    const turned = Object.fromEntries(Object.entries(backup()).reverse())
    expect(await read('waline.json', write(turned))).toEqual(expected)
    expect(await read('waline.json', write(backup({ note: big })))).toEqual(expected)
  })

  it('reads members of relations from lists', async () => {
    const member = { owningId: 'p1', relatedId: 'u1' }
    const value = { Post: [{ n: 1 }], '_Join:likes:Post': [member], '_Join:Post:fans:_User': [member] }
    expect(await read('backup.json', write(value))).toEqual([
      ['Post', { n: 1 }],
      ['Post.likes', member],
      ['Post.fans', member],
    ])
  })

  it('reads a single object when the class is specified', async () => {
    const asClass = { className: 'Post', relation: undefined }
    expect(await read('any.json', write({ n: 1, list: [1] }), asClass)).toEqual([['Post', { n: 1, list: [1] }]])
    expect(await read('Post.jsonl', write({ n: 1 }))).toEqual([['Post', { n: 1 }]])
  })

  describe('members of a relation', () => {
    const members = [
      { owningId: 'p1', relatedId: 'u1' },
      { owningId: 'p1', relatedId: 'u2' },
    ]
    const asRelation = { className: undefined, relation: LIKES }
    const read2 = members.map((member) => ['Post.likes', member])

    it.each<[string, string, string, FormOptions]>([
      ['a list with --relation', 'x.json', write(members), asRelation],
      ['results with --relation', 'x.json', write({ results: members }), asRelation],
      ['results after another member', 'x.json', write({ count: 2, results: members }), asRelation],
      ['a list by its name', '_Join:likes:Post.json', write(members), NO_OPTIONS],
      ['a list by the name of a backup', '_Join:Post:likes:_User.json', write(members), NO_OPTIONS],
      ['results by their name', '_Join%3Alikes%3APost.json', write({ results: members }), NO_OPTIONS],
      ['lines', 'x.json', members.map((member) => JSON.stringify(member)).join('\n'), asRelation],
      ['objects on one line', 'x.json', members.map(write).join(' '), asRelation],
    ])('are read from %s', async (_what, name, text, said) => {
      expect(await read(name, text, said)).toEqual(read2)
    })

    it.each([
      ['a list', write(members)],
      ['results', write({ results: members })],
    ])('in %s are rejected without the name of their relation', async (_what, text) => {
      expect(await formOf('x.json', text)).toEqual({ form: 'unknown', reason: notice('relationNotNamed') })
    })
  })
})

it('reads members of a relation from typed CSV, and from CSV with or without names', async () => {
  const asRelation = { className: undefined, relation: LIKES }
  const member = ['Post.likes', { owningId: 'p1', relatedId: 'u1' }]
  expect(await read('x.csv', 'string,string\nowningId,relatedId\np1,u1\n', asRelation)).toEqual([member])
  expect(await read('x.csv', 'owningId,relatedId\np1,u1\n', asRelation)).toEqual([member])
  expect(await read('x.csv', 'relatedId,owningId\nu1,p1\n', asRelation)).toEqual([member])
  expect(await read('x.csv', 'p1,u1\n', asRelation)).toEqual([member])
})

describe('reports everything after and around lists', () => {
  it.each<[string, string, unknown[]]>([
    ['two lists', '[{"n":1}]\n[{"n":2}]', [{ n: 1 }, { n: 2 }]],
    ['two pages', '{"results":[{"n":1}]}{"results":[{"n":2}]}', [{ n: 1 }, { n: 2 }]],
    ['a list that ends between elements', '[{"n":1},', [{ n: 1 }, /ends within/]],
    ['a list that ends after an element', '[{"n":1}', [/ends within/]],
    ['an object after a list', '[{"n":1}]{"n":2}', [{ n: 1 }, /byte 15 /]],
    ['lines after a list', '[{"n":1}]\n{"n":2}\n{"n":3}\n', [{ n: 1 }, /must be an array of objects/]],
    ['text after a list', '[{"n":1}] and "more [{}]"', [{ n: 1 }, /byte 10 /]],
    ['a header after a list', '[{"n":1}]\n#filetype:JSON-streaming {"type":"Class"}', [{ n: 1 }, /byte 10 /]],
  ])('%s', async (_what, text, expected) => {
    const found = (await read('Post.json', text)) as [string | null, unknown][]
    expect(found.map(([, value]) => value)).toEqual(
      expected.map((one) => (one instanceof RegExp ? expect.stringMatching(one) : one)),
    )
  })

  it('reads the elements before the cut of a truncated backup', async () => {
    const text = JSON.stringify(backup())
    const found = await read(
      'waline.json',
      text.slice(0, text.indexOf('"Users":[{') + 12),
      NO_OPTIONS,
      new SourceFault(notice('cutOff')),
    )
    expect(found).toMatchObject([
      ['Comment', comments[0]],
      ['Comment', comments[1]],
      ['Users', 'The file ends within this element.'],
    ])
  })
})
