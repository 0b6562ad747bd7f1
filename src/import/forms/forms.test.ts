import { Binary, DBRef, Decimal128, type Document, Long, ObjectId, serialize } from 'bson'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../test/support/runs.ts'
import { inEnglish } from '../../notices/in-english.ts'
import { notice } from '../../notices/notice.ts'
import { ByteReader } from '../sources/byte-reader.ts'
import { SourceFault } from '../sources/source-fault.ts'
import type { Form, FormOptions } from './form.ts'
import { recognise } from './recognise.ts'
import type { ImportRecord } from './record.ts'
import { hasRecords, recordsOf } from './records.ts'

const NO_OPTIONS: FormOptions = { className: undefined, relation: undefined }

/** Creates a reader of some bytes in chunks of a size, which ends with a fault if there is one. */
function readerOf(content: string | Buffer, size = 64 * 1024, fault?: Error): ByteReader {
  const bytes = Buffer.from(content as string)
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
    if (fault) throw fault
  }
  return new ByteReader(pieces())
}

async function formOf(name: string, content: string | Buffer, options = NO_OPTIONS): Promise<Form> {
  return recognise(name, readerOf(content), options)
}

async function recordsIn(name: string, content: string | Buffer, options = NO_OPTIONS, size?: number) {
  const reader = readerOf(content, size)
  const form = await recognise(name, reader, options)
  if (!hasRecords(form)) throw new Error(`${form.form}: it has no records`)
  const records: ImportRecord[] = []
  for await (const record of recordsOf(form, reader)) records.push(record)
  return records
}

const textsIn = async (...args: Parameters<typeof recordsIn>) =>
  (await recordsIn(...args)).map(({ text, reason }) =>
    reason === undefined ? JSON.parse(text) : { reason: inEnglish(reason) },
  )

const comment = (json: string) => `#filetype:JSON-streaming ${json}\n`
const likes = { className: 'Post', field: 'likes', targetClass: null }
const post = { className: 'Post' }
const bson = (...documents: Document[]) => Buffer.concat(documents.map((one) => serialize(one)))

it.each<[string, string, string | Buffer, object, FormOptions?]>([
  [
    'an export',
    'x.0.jsonl',
    comment('{"type":"Class","class":"_User"}'),
    { form: 'lines', of: { className: '_User' } },
  ],
  ['one of 2021', 'Post.0.json', `${comment('{"type":"Class","class":"Post"}')}{}`, { form: 'lines', of: post }],
  ['JSON Lines', 'a/Post.jsonl', '{"n":1}\n{"n":2}\n', { form: 'lines', of: post }],
  ['one line of lines', 'Post.jsonl', '{"n":1}', { form: 'lines', of: post }],
  ['one object of lines', 'Post.jsonl', '{\n"n":1\n}\n', { form: 'sequence', of: post }],
  ['objects on one line', 'Post.json', '{"n":1} {"n":2}', { form: 'sequence', of: post }],
  ['objects over lines', 'Post.json', '{\n"n":1\n}\n{\n"n":2\n}\n', { form: 'sequence', of: post }],
  ['pages of a query', 'Post.json', '{"results":[{"n":1}]}\n{"results":[{"n":2}]}\n', { form: 'array', of: post }],
  ['objects with results', 'Post.json', '{"objectId":"a","results":[{"n":1}]}\n{"n":2}', { form: 'lines', of: post }],
  ['lines with a damaged first line', 'Post.json', '{"n":1\n{"n":2}\n', { form: 'lines', of: post }],
  ['a list', 'Post.json', '[{"n":1}]', { form: 'array', of: post }],
  ['a list after a byte order mark and spaces', 'Post.json', '\ufeff \n[{"n":1}]', { form: 'array', of: post }],
  ['results', 'Post.json', '{"results":[{"n":1}]}', { form: 'array', of: post }],
  [
    'results over lines',
    'Post.json',
    '{\n "className": "Post",\n "results": [\n{"n":1}]}',
    { form: 'array', of: post },
  ],
  ['CSV', 'Post.csv', 'string,pointer:_User\nname,owner\na,u1\n', { form: 'csv', of: post }],
  ['a backup', 'Post.x1a2b.bson', bson({ _id: 'a' }), { form: 'bson', of: post }],
  [
    'members of a backup',
    '_Join:Post:likes:_User.x1.bson',
    bson({ owningId: 'a' }),
    { form: 'member bson', of: { ...likes, targetClass: '_User' } },
  ],
  [
    'members of our own export',
    'Post.likes.relation.jsonl',
    '{"owningId":"a","relatedId":"b"}\n',
    { form: 'member lines', of: likes },
  ],
  [
    'members',
    'x.json',
    '{"owningId":"a","relatedId":"b"}\n',
    { form: 'member lines', of: likes },
    { className: undefined, relation: likes },
  ],
  ['members as CSV', 'x.csv', 'a,b\n', { form: 'member csv', of: likes }, { className: undefined, relation: likes }],
  ['members without a relation', 'x.json', '{"owningId":"a","relatedId":"b"}\n', { form: 'unknown' }],
  [
    'a class given as an option',
    'data-1.json',
    '[{"n":1}]',
    { form: 'array', of: post },
    { className: 'Post', relation: undefined },
  ],
  ['a class that cannot be derived', 'data-1.json', '[{"n":1}]', { form: 'unknown' }],
  ['another type of export', 'x.0.jsonl', comment('{"type":"Join","class":"Post"}'), { form: 'unknown' }],
  ['rejected records', 'rejected.jsonl', comment('{"type":"Rejected"}'), { form: 'rejected' }],
  [
    'a schema',
    'Post_schema.json',
    '{"n":{"type":"Number"}}',
    { form: 'schema', classes: { Post: { schema: { n: { type: 'Number' } } } } },
  ],
  [
    'a complete schema in a file named after its class',
    'pulled/Config.json',
    '{"schema":{"value":{"type":"Any"}},"permissions":{},"indexes":[]}',
    { form: 'schema', classes: { Config: { schema: { value: { type: 'Any' } }, permissions: {}, indexes: [] } } },
  ],
  [
    'an export whose first line has no space',
    'x.0.jsonl',
    '#filetype:JSON-streaming{"type":"Class","class":"Post"}\n{}',
    { form: 'lines', of: { className: 'Post' } },
  ],
  [
    'a complete schema',
    'Post_all.json',
    '{"schema":{},"indexes":[]}',
    { form: 'schema', classes: { Post: { schema: {}, indexes: [] } } },
  ],
  [
    'permissions',
    'Post_permissions.json',
    '{"find":{"*":false}}',
    { form: 'schema', classes: { Post: { permissions: { find: { '*': false } } } } },
  ],
  [
    'our own schema',
    'schema.json',
    '{"Post":{"n":{"type":"Number"}}}',
    { form: 'schema', classes: { Post: { schema: { n: { type: 'Number' } } } } },
  ],
  ['what a Mac puts into archives', '__MACOSX/._Post.json', Buffer.from([0, 5, 22, 7]), { form: 'nothing' }],
  ['an empty file', 'Post.json', '', { form: 'nothing' }],
  ['a picture', 'Post.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0]), { form: 'unknown' }],
  ['UTF-16', 'Post.json', Buffer.from('\ufeff[{}]', 'utf16le'), { form: 'unknown', reason: notice('fileIsUtf16') }],
  ['a text', 'README.txt', 'Hello\nworld\n', { form: 'unknown' }],
])('recognizes %s by its content', async (_what, name, content, expected, options = NO_OPTIONS) => {
  expect(await formOf(name, content, options)).toMatchObject(expected)
})

it('numbers lines, and skips comments, empty lines, byte-order marks and carriage returns', async () => {
  const text = `\ufeff${comment('{"type":"Class","class":"Post"}')}{"n":1}\r\n\n{"n":2}`
  expect(await recordsIn('x', text)).toEqual([
    { at: 2, text: '{"n":1}' },
    { at: 4, text: '{"n":2}' },
  ])
})

it('reports a line that is not UTF-8 or too long, and reads the others', async () => {
  const long = `{"t":"${'x'.repeat(18 * 1024 * 1024)}"}`
  const content = Buffer.concat([
    Buffer.from('{"n":1}\n{"t":"'),
    Buffer.from([0xc4, 0xe3]),
    Buffer.from(`"}\n${long}\n{"n":2}\n`),
  ])
  const records = await recordsIn('Post.jsonl', content)
  expect(records.map(({ at, reason }) => [at, reason && inEnglish(reason)])).toEqual([
    [1, undefined],
    [2, 'The line is not valid UTF-8. Save the file as UTF-8.'],
    [3, `The line has ${long.length} bytes. The maximum size of an object is 16 MB.`],
    [4, undefined],
  ])
  expect(records[2]!.text).toHaveLength(2000)
})

it('reports elements and rows that are not UTF-8, and reads the others', async () => {
  const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3])
  const around = (before: string, after: string) => Buffer.concat([Buffer.from(before), gbk, Buffer.from(after)])
  expect(await textsIn('Post.json', around('[{"t":"', '"},{"n":2}]'))).toEqual([
    { reason: 'The element is not valid UTF-8. Save the file as UTF-8.' },
    { n: 2 },
  ])
  expect(await textsIn('Post.csv', around('string\nt\n', '\nx\n'))).toEqual([
    { reason: 'The row is not valid UTF-8. Save the file as UTF-8.' },
    { t: 'x' },
  ])
})

it('reads the records before the cut of a truncated file', async () => {
  const reader = readerOf('{"n":1}\n{"n":2}\n{"n', 5, new SourceFault(notice('cutOff')))
  const texts: string[] = []
  const read = async () => {
    for await (const { text } of recordsOf({ form: 'lines', of: post }, reader)) texts.push(text)
  }
  await expect(read()).rejects.toThrow('the file is truncated')
  expect(texts).toEqual(['{"n":1}', '{"n":2}', '{"n'])
})

it('finds elements of a list with any content, split into chunks anywhere', async () => {
  const json = fc.jsonValue({ maxDepth: 4 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(json, { maxLength: 8 }),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      fc.constantFrom(0, 2),
      async (values, size, asResults, space) => {
        const file = asResults ? { count: 1, other: [[{ results: [1] }]], results: values, more: ['x'] } : values
        const reader = readerOf(JSON.stringify(file, null, space), size)
        const found: unknown[] = []
        for await (const { at, text } of recordsOf({ form: 'array', of: post }, reader)) {
          expect(at).toBe(found.length + 1)
          found.push(JSON.parse(text))
        }
        expect(found).toEqual(JSON.parse(JSON.stringify(values)))
      },
    ),
    runs(300),
  )
})

it('reports an element in which the file ends', async () => {
  expect(await textsIn('Post.json', '[{"n":1}, {"n":')).toEqual([
    { n: 1 },
    { reason: 'The file ends within this element.' },
  ])
})

it('converts typed CSV to objects, without fields for empty cells', async () => {
  const csv = [
    'string,int,boolean,date,date,array,object,geopoint,pointer:_User,file',
    'name,n,open,createdAt,when,tags,meta,place,owner,cover',
    '"a ""b"", c",1,TRUE,2020-01-02T03:04:05.006Z,2020-01-02,"[1,""x""]","{""a"":1}",114.25 30.5,u1,f1',
    'b,,,,,,,,,',
    'c,x,,,,,,,,',
    'd,1',
  ].join('\r\n')
  const [first, second, wrong, short] = await textsIn('Post.csv', `\ufeff${csv}`)
  expect(first).toEqual({
    name: 'a "b", c',
    n: 1,
    open: true,
    createdAt: '2020-01-02T03:04:05.006Z',
    when: { __type: 'Date', iso: '2020-01-02T00:00:00.000Z' },
    tags: [1, 'x'],
    meta: { a: 1 },
    place: { __type: 'GeoPoint', latitude: 30.5, longitude: 114.25 },
    owner: { __type: 'Pointer', className: '_User', objectId: 'u1' },
    cover: { __type: 'File', id: 'f1' },
  })
  expect(second).toEqual({ name: 'b' })
  expect(wrong).toEqual({ reason: "'n' must be a number, not 'x'." })
  expect(short).toEqual({ reason: 'The row has 2 columns, but only 10 columns have a name.' })
})

it('converts documents of a backup to objects (protocol/moving-in, BSON backup)', async () => {
  const id = new ObjectId('5c7cd2a0e4b0f5c4a1b2c3d4')
  const when = new Date('2020-01-02T03:04:05.006Z')
  const document = {
    _id: id,
    createdAt: when,
    updatedAt: when,
    when,
    author: new DBRef('_User', id),
    cover: new DBRef('_File', 'f1' as unknown as ObjectId),
    place: { type: 'Point', coordinates: [114.25, 30.5] },
    ACL: { '*': { read: true } },
    _r: ['*'],
    _w: [],
    bytes: new Binary(Buffer.from('hi')),
    long: Long.fromNumber(5),
    double: 1.5,
    decimal: Decimal128.fromString('2.25'),
    nothing: null,
    list: [{ when }, new DBRef('Post', id)],
  }
  const huge = { _id: 'ab3dEf7hIj', long: Long.fromString('9007199254740993'), none: Number.NaN }
  const records = await recordsIn('Post.x1.bson', bson(document, huge), NO_OPTIONS, 7)
  const date = { __type: 'Date', iso: when.toISOString() }
  expect(JSON.parse(records[0]!.text)).toEqual({
    objectId: '5c7cd2a0e4b0f5c4a1b2c3d4',
    createdAt: date.iso,
    updatedAt: date.iso,
    when: date,
    author: { __type: 'Pointer', className: '_User', objectId: '5c7cd2a0e4b0f5c4a1b2c3d4' },
    cover: { __type: 'File', id: 'f1' },
    place: { __type: 'GeoPoint', latitude: 30.5, longitude: 114.25 },
    ACL: document.ACL,
    bytes: { __type: 'Bytes', base64: 'aGk=' },
    long: 5,
    double: 1.5,
    decimal: 2.25,
    nothing: null,
    list: [{ when: date }, { __type: 'Pointer', className: 'Post', objectId: '5c7cd2a0e4b0f5c4a1b2c3d4' }],
  })
  expect(JSON.parse(records[1]!.text)).toEqual({
    objectId: 'ab3dEf7hIj',
    long: 9007199254740992,
    none: { $numberDouble: 'NaN' },
  })
  expect(records[1]!.notes).toEqual([notice('roundedNumber')])
})

it.each([
  ['a regular expression', /a/, { __type: 'RegExp' }],
  [
    'a place without coordinates',
    { type: 'Point', coordinates: [null, null] },
    { __type: 'GeoPoint', latitude: null, longitude: null },
  ],
  ['a reference without an id', new DBRef('Post', null as unknown as ObjectId), { $ref: 'Post', $id: null }],
  ['an infinite number', Number.NEGATIVE_INFINITY, { $numberDouble: '-Infinity' }],
])('leaves %s in a document to the writer, which stores null for it', async (_, value, written) => {
  const [record] = await recordsIn('Post.x1.bson', bson({ _id: 'a', value }), NO_OPTIONS, 7)
  expect(JSON.parse(record!.text)).toEqual({ objectId: 'a', value: written })
})

it('leaves a date out of range in a document to the writer', async () => {
  const document = bson({ _id: 'a', value: new Date(0) })
  // The date is the last member, before the byte that ends the document.
  document.writeBigInt64LE(2n ** 62n, document.length - 9)
  const [record] = await recordsIn('Post.x1.bson', document, NO_OPTIONS, 7)
  expect(JSON.parse(record!.text)).toEqual({ objectId: 'a', value: { __type: 'Date', iso: null } })
})

it('converts documents of a join to members', async () => {
  const [a, b] = [new ObjectId('5c7cd2a0e4b0f5c4a1b2c3d4'), new ObjectId('5c7cd2a0e4b0f5c4a1b2c3d5')]
  const content = bson({ _id: a, owningId: new DBRef('Post', a), relatedId: new DBRef('_User', b) })
  expect(await textsIn('_Join:Post:likes:_User.x.bson', content)).toEqual([
    { owningId: a.toHexString(), relatedId: b.toHexString() },
  ])
})

it('reads a truncated backup up to the cut', async () => {
  const file = bson({ _id: 'a' }, { _id: 'b' })
  const reader = readerOf(file.subarray(0, file.length - 3))
  const texts: string[] = []
  const read = async () => {
    for await (const { text } of recordsOf({ form: 'bson', of: post }, reader)) texts.push(text)
  }
  await expect(read()).rejects.toThrow('truncated within document 2')
  expect(texts).toEqual(['{"objectId":"a"}'])
})
