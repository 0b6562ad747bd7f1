import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DBRef, ObjectId, serialize } from 'bson'
import { expect, inject, test } from 'vitest'
import { makeApp } from '../support/app.ts'
import { runCommand } from '../support/command.ts'
import { exportFile, makeImportTarget } from './imports.ts'
import { tarOf } from './tar.ts'
import { zipOf } from './zip.ts'

const target = await makeImportTarget()
const at = { createdAt: '2020-09-01T00:00:00.000Z', updatedAt: '2021-09-01T00:00:00.001Z' }
const ids = ['5541c02ce4b0f83f4d44414a', '5541c02ce4b0f83f4d44414b'] as const
const posts = [
  {
    objectId: ids[0],
    ...at,
    ACL: { '*': { read: true } },
    title: '你好 "all"\n=1+1',
    score: 1.5,
    deletedAt: null,
    tags: ['一', { deep: [null] }],
    place: { __type: 'GeoPoint', latitude: 30.5, longitude: 114.25 },
    when: { __type: 'Date', iso: '2020-02-03T04:05:06.007Z' },
    bytes: { __type: 'Bytes', base64: 'aGk=' },
    author: { __type: 'Pointer', className: '_User', objectId: 'u1' },
  },
  { objectId: ids[1], ...at, ACL: {}, title: '' },
]
const lines = (all: readonly object[]) => all.map((one) => `${JSON.stringify(one)}\n`).join('')
const members = [{ owningId: ids[0], relatedId: ids[1] }]
const message = {
  'msg-id': 'm1',
  'conv-id': ids[0],
  timestamp: 1_600_000_000_000,
  from: 'bob',
  to: ids[0],
  data: 'text',
  bin: false,
  'is-conv': true,
  'is-room': false,
}
const conversation = { objectId: ids[0], m: ['ann', 'bob'], c: 'ann', ...at }
const document = {
  _id: new ObjectId(ids[0]),
  createdAt: new Date(at.createdAt),
  updatedAt: new Date(at.updatedAt),
  title: '你好',
  author: new DBRef('_User', new ObjectId(ids[1])),
  place: { type: 'Point', coordinates: [114.25, 30.5] },
}
const exported = { 'Post.0.jsonl': exportFile('Post', posts), 'Tag.0.jsonl': exportFile('Tag', posts.slice(1)) }
const relation = `#filetype:JSON-streaming {"type":"Relation","class":"Post","field":"likes","target":"Post"}\n`
const csv = `string,date,date,string,number,geopoint,pointer:_User,array,boolean
objectId,createdAt,updatedAt,title,score,place,author,tags,open
a1,${at.createdAt},${at.updatedAt},"two
lines, ""quoted""",1.5,114.25 30.5,u1,"[1,""x""]",true
a2,${at.createdAt},${at.updatedAt},=1+1,,,,,false
`

const classHeader = (name: string) => exportFile(name, [])
const mongo = [
  {
    _id: { $oid: ids[0] },
    createdAt: { $date: at.createdAt },
    updatedAt: { $date: at.updatedAt },
    n: { $numberLong: '5' },
  },
  { _id: 'c3bdff8a4', createdAt: { $date: at.createdAt }, updatedAt: { $date: at.updatedAt }, n: 6 },
]
/** 一张三 in GBK. */
const gbkList = Buffer.concat([
  Buffer.from(`[{"objectId":"g1","createdAt":"${at.createdAt}","updatedAt":"${at.updatedAt}","name":"`),
  Buffer.from('d2bbd5c5c8fd', 'hex'),
  Buffer.from('"}]'),
])
const oddPosts = [
  { objectId: ids[0], ...at, place: { __type: 'GeoPoint', latitude: null }, when: '2020-01-02', text: 'a\u0000' },
  { objectId: ids[1], ...at, place: null, when: { __type: 'Date', iso: '2021-02-30' }, who: { __type: 'Pointer' } },
]

type Files = Readonly<Record<string, string | Buffer>>

test.each<[form: string, files: () => Promise<Files> | Files, records: number]>([
  ['JSON export lines', () => exported, 3],
  ['joined files', () => ({ 'all.jsonl': Object.values(exported).join('') }), 3],
  ['JSON list', () => ({ 'Post.json': JSON.stringify(posts, null, 2) }), 2],
  ['results page', () => ({ 'Post.json': JSON.stringify({ results: posts, count: 2 }) }), 2],
  ['values behind each other', () => ({ 'Post.json': posts.map((one) => JSON.stringify(one, null, 2)).join('\n') }), 2],
  ['several classes in one object', () => ({ 'all.json': JSON.stringify({ Post: posts, Tag: posts }) }), 4],
  [
    'backup of Waline',
    () => ({
      'waline.json': JSON.stringify({
        type: 'waline',
        version: 1,
        tables: ['Comment', 'Counter'],
        data: { Comment: posts, Counter: [{ objectId: 'c1', ...at, url: '/', time: 3 }] },
      }),
    }),
    3,
  ],
  ['typed CSV', () => ({ 'Post.csv': csv }), 2],
  ['BSON', () => ({ 'Post.x1.bson': Buffer.from(serialize(document)) }), 1],
  ['relation members as lines', () => ({ ...exported, 'Post.likes.relation.jsonl': relation + lines(members) }), 4],
  ['relation members as CSV', () => ({ ...exported, '_Join:Post:likes:Post.csv': `${ids[0]},${ids[1]}\n` }), 4],
  [
    'relation members as BSON',
    () => ({
      'Post.x1.bson': Buffer.from(serialize(document)),
      '_Join:Post:likes:Post.x1.bson': Buffer.from(
        serialize({ _id: new ObjectId(ids[1]), owningId: new ObjectId(ids[0]), relatedId: new ObjectId(ids[0]) }),
      ),
    }),
    2,
  ],
  [
    'messages',
    () => ({ '_Conversation.0.jsonl': exportFile('_Conversation', [conversation]), 'messages.json': lines([message]) }),
    2,
  ],
  ['members by their name', () => ({ ...exported, '_Join:Post:likes:Post.json': JSON.stringify(members) }), 4],
  [
    'members in results',
    () => ({ ...exported, '_Join:Post:likes:Post.json': JSON.stringify({ results: members }) }),
    4,
  ],
  [
    'members by the header of a backup',
    () => ({
      'all.jsonl': `${Object.values(exported).join('')}${classHeader('_Join:Post:likes:Post')}${lines(members)}`,
    }),
    4,
  ],
  [
    'joined files without line breaks',
    () => ({
      'all.jsonl': Object.values(exported)
        .map((one) => one.trimEnd())
        .join(''),
    }),
    3,
  ],
  ['a list and lines in one file', () => ({ 'Post.json': `${JSON.stringify(posts)}\n${exported['Tag.0.jsonl']}` }), 3],
  ['joined CSV', () => ({ 'Post.csv': csv + csv.replace('a1,', 'b1,').replace('a2,', 'b2,') }), 4],
  ['mongoexport lines', () => ({ 'Post.json': lines(mongo) }), 2],
  ['JSON in GBK', () => ({ 'Tag.json': gbkList }), 1],
  ['JSON in UTF-16', () => ({ 'Post.0.jsonl': Buffer.from(`\ufeff${exported['Post.0.jsonl']}`, 'utf16le') }), 2],
  ['UTF-16 without a mark', () => ({ 'Post.0.jsonl': Buffer.from(exported['Post.0.jsonl'], 'utf16le').swap16() }), 2],
  ['classes without objects', () => ({ ...exported, 'Empty.0.jsonl': exportFile('Empty', []), 'None.json': '[]' }), 3],
  [
    'schema export',
    () => ({
      ...exported,
      'Post_all.json': JSON.stringify({
        schema: { title: { type: 'String' }, likes: { type: 'Relation', className: 'Post' }, any: { type: 'Any' } },
        permissions: { find: { '*': true }, update: { '*': false } },
        indexes: [
          { key: { title: 1 }, name: 'title_1', unique: true },
          { key: { sessionToken: 1 }, name: 'sessionToken_1', unique: true },
        ],
      }),
    }),
    3,
  ],
  ['values that are stored as null', () => ({ 'Post.0.jsonl': exportFile('Post', oddPosts) }), 2],
  ['gzip file', () => ({ 'Post.0.jsonl.gz': gzipSync(exported['Post.0.jsonl']) }), 2],
  [
    'archives in archives',
    async () => ({ 'a.zip': zipOf({ 'b.tar.gz': gzipSync(await tarOf({ 'c.zip': zipOf(exported) })) }) }),
    3,
  ],
  ['zip archive', () => ({ 'export.zip': zipOf(exported) }), 3],
  ['tar archive', async () => ({ 'export.tar': await tarOf(exported) }), 3],
  ['packed tar archive', async () => ({ 'export.tar.gz': gzipSync(await tarOf(exported)) }), 3],
])(
  '%s: an import that is exported and imported into another app is identical',
  async (form, made, records) => {
    const folder = join(target.folder, form.replaceAll(' ', '-'))
    for (const [name, content] of Object.entries(await made())) {
      const path = join(folder, 'source', name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
    const [first, second] = [await makeApp(), await makeApp()]
    const run = async (app: { appId: string; url: string }, command: string, ...args: string[]) => {
      const report = command === 'import' ? ['--report', join(folder, `report-${app.appId}`)] : []
      const { code, stdout, stderr } = await runCommand(
        [command, '--app', app.appId, '--url', app.url, ...report, ...args],
        { HOMEPORT_ADMIN_TOKEN: inject('adminToken') },
      )
      expect([code, stderr], stdout).toEqual([0, ''])
      return stdout
    }
    const [source, exportedTo] = [join(folder, 'source'), join(folder, 'exported')]
    await run(first, 'import', source)
    await run(first, 'export', '--to', exportedTo)
    await run(second, 'import', exportedTo)
    for (const [app, path] of [
      [first, source],
      [second, source],
      [second, exportedTo],
    ] as const) {
      const verified = JSON.parse(await run(app, 'verify', '--json', path))
      expect(verified.safe, verified.conclusion).toBe(true)
      const classes: readonly { there: number; same: number }[] = Object.values(verified.classes)
      for (const { there, same } of classes) expect(same).toBe(there)
      if (path === source) expect(classes.reduce((sum, { there }) => sum + there, 0)).toBe(records)
    }
  },
  120_000,
)

test('CSV with an unclosed quote ends an import with code 3 and the line of the quote', async () => {
  const path = await target.file('Quote.csv', 'string,string\nobjectId,text\na1,x\na2,"y\na3,z\n')
  const { code, stdout } = await target.run(path)
  expect(code).toBe(3)
  expect(stdout).toContain('the quote that opens in line 4 is not closed')
  expect((await target.report()).counts.Quote).toMatchObject({ created: 1 })
})

test('names in archives are printed without escape sequences', async () => {
  const path = await target.file('odd.zip', zipOf({ '\u001b]0;x\u0007\u001b[2Jodd.xyz': 'neither form\n' }))
  const { code, stdout, stderr } = await target.run(path)
  expect(code).toBe(3)
  expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]/u)
})
