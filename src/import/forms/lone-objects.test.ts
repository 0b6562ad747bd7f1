import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../notices/in-english.ts'
import { type Notice, notice } from '../../notices/notice.ts'
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
      const value = () => (record.isHeader ? record.text : JSON.parse(record.text))
      found.push([own && nameOf(own), reason ? inEnglish(reason) : value()])
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
  ['before empty lines and a comment', (value) => `${JSON.stringify(value)}\n\n# the end\n`],
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
      ['objects in sequence', 'x.json', members.map(write).join(' '), asRelation],
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

it.each([
  ['a comma after it', '{"n":1},'],
  ['commas and comments after it', '{"n":1}\n, # one\n# two'],
  ['an export after it', '{"n":1}\n#filetype:JSON-streaming {"type":"Class","class":"_User"}\n{"objectId":"u1"}'],
  ['objects of lists', '{"Comment":[{"n":1}]}\n{"Counter":[{"n":1}]}\n'],
  ['objects of lists over lines', '{"Comment":\n[{"n":1}]}\n{"Counter":[{"n":1}]}\n'],
])('rejects a single object in package.json with %s', async (_what, text) => {
  expect(await formOf('package.json', text)).toMatchObject({ form: 'unknown' })
})

describe('an option of the user and the content of the file', () => {
  const header = (said: object) => `#filetype:JSON-streaming ${JSON.stringify(said)}\n`
  const member = '{"owningId":"a","relatedId":"b"}'
  const message = '{"msg-id":"m","conv-id":"c","timestamp":1}'
  const asClass = { className: 'Post', relation: undefined }
  const asRelation = { className: undefined, relation: LIKES }
  const classOf = (className: string) => header({ type: 'Class', class: className })
  const relationOf = (field: string) => header({ type: 'Relation', class: 'Post', field, target: '_User' })
  const rejected = /so --class and --relation do not apply/

  it.each<[what: string, name: string, text: string, options: FormOptions, of: string | RegExp]>([
    ['--class replaces a class in the header', 'x', `${classOf('Old')}{"n":1}`, asClass, 'Post'],
    ['--class and the same header', 'x', `${classOf('Post')}{"n":1}`, asClass, 'Post'],
    ['--class replaces the file name', 'Old.jsonl', '{"n":1}', asClass, 'Post'],
    ['--class replaces the name of a relation', '_Join:likes:Old.json', `[${member}]`, asClass, 'Post'],
    ['--class accepts fields that members have', 'x.json', `[${member}]`, asClass, 'Post'],
    ['--class accepts a header of an unknown type', 'x', `${header({ type: 'New' })}{"n":1}`, asClass, 'Post'],
    ['--class does not open users', 'x', `${classOf('_User')}{"n":1}`, asClass, rejected],
    ['--class for a relation of a class', 'x', `${relationOf('fans')}${member}`, asClass, 'Post'],
    ['--class for rejected records', 'x', `${header({ type: 'Rejected' })}{}`, asClass, rejected],
    ['--class for leaderboards', 'x', `${header({ type: 'Leaderboards' })}{}`, asClass, rejected],
    ['--class for messages', 'x.json', `[${message}]`, asClass, rejected],
    ['--class for lines of messages', 'x.json', `${message}\n${message}`, asClass, rejected],
    ['--class for lists', 'x.json', '{"Comment":[{"n":1}]}', asClass, rejected],
    ['--class for a Waline backup', 'x.json', JSON.stringify(backup()), asClass, rejected],
    ['--relation replaces a class in the header', 'x', `${classOf('Likes')}${member}`, asRelation, 'Post.likes'],
    ['--relation replaces a relation in the header', 'x', `${relationOf('fans')}${member}`, asRelation, 'Post.likes'],
    ['--relation and the same header', 'x', `${relationOf('likes')}${member}`, asRelation, 'Post.likes'],
    ['--relation replaces the file name', '_Join:fans:Post.json', `[${member}]`, asRelation, 'Post.likes'],
    ['--relation for users', 'x', `${classOf('_User')}${member}`, asRelation, rejected],
    ['--relation for messages', 'x.json', `[${message}]`, asRelation, rejected],
    ['--relation for lists', 'x.json', '{"Comment":[{"n":1}]}', asRelation, /not members of a relation/],
  ])('%s', async (_what, name, text, options, of) => {
    const found = await read(name, text, options)
    if (of instanceof RegExp) expect(found).toEqual({ form: 'unknown', reason: expect.anything() })
    if ('reason' in found) expect(inEnglish((found as { reason: Notice }).reason)).toMatch(of)
    else expect((found as [string, unknown][]).map(([one]) => one)).toEqual([of])
  })

  it('continues with a further header of the same content, and reports one of another content', async () => {
    const parts = ['Old', 'Old', '_User', 'Old'].map((name, index) => `${classOf(name)}{"n":${index}}\n`)
    expect(await read('x', parts.join(''), asClass)).toEqual([
      ['Post', { n: 0 }],
      ['Post', classOf('Old').trim()],
      ['Post', { n: 1 }],
      [null, expect.stringMatching(/names _User, but --class .*; 1 following line was not read$/)],
      ['Post', classOf('Old').trim()],
      ['Post', { n: 3 }],
    ])
  })
})

it('reads members from CSV with further columns, and with the line ends of classic Mac OS', async () => {
  const asRelation = { className: undefined, relation: LIKES }
  const member = ['Post.likes', { owningId: 'p1', relatedId: 'u1' }]
  expect(await read('x.csv', '_id,owningId,relatedId\n1,p1,u1\n', asRelation)).toEqual([member])
  expect(await read('x.csv', 'owningId,relatedId\rp1,u1\r', asRelation)).toEqual([member])
  expect(await read('Post.csv', 'string,number\robjectId,n\ra,1\r')).toEqual([['Post', { objectId: 'a', n: 1 }]])
})

it.each([
  ['the same head', 'number\nn\n', '1\n', 'number\nn\n', '2\n', [{ n: 1 }, { n: 2 }]],
  [
    'another head',
    'string,number\nobjectId,n\n',
    'a,1\n',
    'string,string\nt,objectId\n',
    'x,b\n',
    [
      { objectId: 'a', n: 1 },
      { t: 'x', objectId: 'b' },
    ],
  ],
  [
    'words that are types',
    'string,string\na,b\n',
    'x,y\n',
    'string,date\n',
    'c,d\n',
    [
      { a: 'x', b: 'y' },
      { a: 'string', b: 'date' },
      { a: 'c', b: 'd' },
    ],
  ],
  ['words that are types at the end', 'string\na\n', 'x\n', '', 'string\n', [{ a: 'x' }, { a: 'string' }]],
])('joined CSV with %s', async (_what, head, row, further, last, expected) => {
  const found = (await read('Post.csv', head + row + further + last)) as [string, unknown][]
  expect(found.map(([, value]) => value)).toEqual(expected)
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
    [
      'an unknown header after a list',
      '[{"n":1}]\n#filetype:JSON-streaming {"type":"Class"}\n{"n":2}',
      [{ n: 1 }, /unknown type .* 1 following line was not read/],
    ],
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
