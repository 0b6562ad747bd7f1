import { beforeAll, describe, expect, inject, test } from 'vitest'
import { exportFile } from '../import/imports.ts'
import { makeVerifyTarget } from './verifications.ts'

const target = await makeVerifyTarget()
const { app } = target
const times = { createdAt: '2019-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.001Z' }
const hosted = {
  password: 'tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug==',
  salt: 'h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2',
}
const posts = [
  {
    objectId: '5c7cd2a0e4b0f5c4a1b2c3d4',
    ...times,
    ACL: { '*': { read: true }, 'role:editor': { write: true } },
    title: '你好 "all"',
    score: 1.5,
    large: 'LARGE',
    open: false,
    publishedAt: { __type: 'Date', iso: '2020-02-03T04:05:06.007Z' },
    deletedAt: null,
    tags: ['一', { deep: [null] }],
    meta: { a: { b: 1 } },
    place: { __type: 'GeoPoint', latitude: 30.5, longitude: 114.25 },
    bytes: { __type: 'Bytes', base64: 'aGk=' },
    author: { __type: 'Pointer', className: '_User', objectId: 'ann' },
    cover: { __type: 'File', id: 'f1', name: 'a.png', url: 'https://files.example.org/a.png' },
  },
  { objectId: 'empty', ...times, ACL: {} },
  { objectId: 'open', ...times },
  ...['gone', 'field', 'time', 'made', 'acl', 'later'].map((objectId) => ({
    objectId,
    ...times,
    n: 1,
    ACL: { ann: { read: true } },
  })),
]
const users = [
  {
    objectId: 'ann',
    ...times,
    username: 'ann',
    ...hosted,
    sessionToken: 'annssessiontoken123456789',
    authData: { weixin: { openid: 'wx-ann', access_token: 'secret-of-weixin' } },
  },
  { objectId: 'bob', ...times, username: 'bob', ...hosted, sessionToken: 'bobssessiontoken123456789', email: '' },
]
const files = [
  { objectId: 'f1', ...times, name: 'a.png', key: 'a.png', mime_type: 'image/png', metaData: { size: 3 } },
  { objectId: 'f2', ...times, name: 'b', url: 'https://example.org/b', metaData: { __source: 'external' } },
]
const conversations = [{ objectId: 'c1', ...times, m: ['ann', 'bob'], c: 'ann', name: 'two' }]
const messages = [1, 2, 3].map((n) => ({
  'msg-id': `m${n}`,
  'conv-id': 'c1',
  timestamp: Date.parse(times.updatedAt) + n,
  from: 'ann',
  data: `{"_lctype":-1,"_lctext":"the private text ${n}"}`,
}))
const members = [
  { owningId: 'open', relatedId: 'ann' },
  { owningId: 'open', relatedId: 'bob' },
]
const lines = (values: readonly object[]) => values.map((one) => `${JSON.stringify(one)}\n`).join('')
let source = ''

describe('an import from files', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    await target.file('all/Post.0.jsonl', exportFile('Post', posts).replace('"LARGE"', '12345678901234567'))
    await target.file('all/_User.0.jsonl', exportFile('_User', users))
    await target.file('all/_File.0.jsonl', exportFile('_File', files))
    await target.file('all/_Conversation.0.jsonl', exportFile('_Conversation', conversations))
    await target.file('all/Empty.0.jsonl', exportFile('Empty', []))
    await target.file(
      'all/Post_all.json',
      JSON.stringify({ schema: { score: { type: 'Number' }, extra: { type: 'String' } } }),
    )
    await target.file('all/_Join:Post:likes:_User.jsonl', lines(members))
    await target.file('all/messages.jsonl', lines(messages))
    source = `${target.folder}/all`
    const { code, stderr } = await target.run(source)
    expect([code, stderr]).toEqual([0, ''])
    const bytes = `/files/bytes?${new URLSearchParams({ key: 'a.png', name: 'a.png' })}`
    const url = `${app.url}/admin/apps/${app.appId}${bytes}`
    const headers = { authorization: `Bearer ${inject('adminToken')}`, 'content-type': 'application/octet-stream' }
    expect((await fetch(url, { method: 'PUT', headers, body: 'abc' })).status).toBe(200)
  })

  test('is safe when all data is identical, of every type and kind', async () => {
    const { code, stdout, stderr, conclusion, differences } = await target.verify(source)
    expect([conclusion, differences, stderr]).toEqual([
      'Safe to switch: all 19 records of the source are in the app and match.',
      [],
      '',
    ])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Post +9 +9 +9 +0 +0 +0 +0$/m)
    expect(stdout).toMatch(/^Post\.likes +2 +2 +2 +0 +0 +0 +0$/m)
    expect(stdout).toMatch(/^Empty +0 +0 +0 +0 +0 +0 +0$/m)
  })
  test('one change of each kind is found and named, without revealing secrets', async () => {
    const changes = [
      `DELETE FROM "Post" WHERE id = 'gone'`,
      `UPDATE "Post" SET data = data || '{"n": 2, "more": "x"}' WHERE id = 'field'`,
      `UPDATE "Post" SET updated_at = updated_at - interval '1 millisecond' WHERE id = 'time'`,
      `UPDATE "Post" SET created_at = created_at + interval '1 millisecond' WHERE id = 'made'`,
      `UPDATE "Post" SET acl = NULL, readers = NULL, writers = NULL WHERE id = 'acl'`,
      `UPDATE "Post" SET data = data || '{"n": 3}', updated_at = now() WHERE id = 'later'`,
      `DELETE FROM "$relations" WHERE related_id = 'bob'`,
      `UPDATE "$credentials" SET password = replace(password, 'Ug==', 'Uw==') WHERE user_id = 'ann'`,
      `UPDATE "$credentials" SET session_token = 'another-token' WHERE user_id = 'bob'`,
      `DELETE FROM "$identities" WHERE user_id = 'ann'`,
      `UPDATE "_User" SET data = jsonb_set(data, '{authData,weixin,access_token}', '"other"') WHERE id = 'ann'`,
      `UPDATE "$files" SET size = 4 WHERE key = 'a.png'`,
      `DELETE FROM "$messages" WHERE id = 'm1'`,
      `UPDATE "$messages" SET content = '{"_lctype":-1,"_lctext":"forged"}' WHERE id = 'm2'`,
      `INSERT INTO "Post" (id, created_at, updated_at, data) VALUES ('before', '2020-01-01', now(), '{}'), ('since', now(), now(), '{}')`,
    ]
    for (const change of changes) {
      const { rowCount } = await app.sql(change)
      expect([change, rowCount]).toEqual([change, change.startsWith('INSERT') ? 2 : 1])
    }
    const { code, stdout, conclusion, differences } = await target.verify(source)
    expect(code).toBe(3)
    expect(conclusion).toBe(
      'Not safe to switch: 1 object of Post is missing, 4 objects of Post differ, 1 object of Post exists only in the app, ' +
        '1 member of Post.likes is missing, 1 object of _File differs, 2 objects of _User differ, 1 message is missing, ' +
        '1 message differs.',
    )
    const told = differences.map(({ class: of, objectId, what, field, there, here }) =>
      [of, objectId, what, field, there, here].filter((part) => part !== undefined).join(' | '),
    )
    const messageId = (n: number) => `c1 → ${String(Date.parse(times.updatedAt) + n).padStart(16, '0')} → m${n}`
    const messaging = expect.stringMatching(/^messag/)
    expect(new Set(told)).toEqual(
      new Set([
        'Post | gone | missing',
        'Post | field | differs | more | "x"',
        'Post | field | differs | n | 1 | 2',
        'Post | time | differs | updatedAt | "2021-03-04T05:06:07.001Z" | "2021-03-04T05:06:07.000Z"',
        'Post | made | differs | createdAt | "2019-03-04T05:06:07.089Z" | "2019-03-04T05:06:07.090Z"',
        'Post | acl | differs | ACL | {"ann": {"read": true}} | null',
        'Post | before | only here',
        'Post | since | made here since',
        'Post.likes | open → bob | missing',
        '_User | ann | differs | password',
        '_User | ann | differs | authData',
        '_User | bob | differs | sessionToken',
        '_File | f1 | differs | file size | 3 | 4',
        ...told.filter((line) => line.startsWith('Post | later | changed here since')),
        ...told.filter((line) => line.startsWith('messag')),
      ]),
    )
    expect(told.filter((line) => line.startsWith('Post | later |'))).toHaveLength(2)
    expect(differences.filter(({ class: of }) => of.startsWith('messag'))).toEqual([
      expect.objectContaining({ class: messaging, objectId: messageId(1), what: 'missing' }),
      expect.objectContaining({ class: messaging, objectId: messageId(2), what: 'differs', field: 'content' }),
    ])
    for (const secret of [
      hosted.password,
      hosted.salt,
      'ssessiontoken',
      'another-token',
      'secret-of-weixin',
      'forged',
      'private',
    ])
      expect(stdout + JSON.stringify(differences)).not.toContain(secret)
  })
})
