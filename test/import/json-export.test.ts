import bcrypt from 'bcryptjs'
import AV from 'leancloud-storage'
import { describe, expect, test } from 'vitest'
import { exportFile, makeImportTarget } from './imports.ts'

const target = await makeImportTarget()
const { app } = target
const times = { createdAt: '2019-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.001Z' }

describe('a JSON export of the hosted service', { timeout: 120_000 }, () => {
  test('keeps ids of any format, both times, ACLs, all types and null dates', async () => {
    const post = {
      objectId: '5c7cd2a0e4b0f5c4a1b2c3d4',
      ...times,
      ACL: { '*': { read: true }, 'role:editor': { write: true } },
      title: '你好 "all"',
      score: 1.5,
      open: false,
      publishedAt: { __type: 'Date', iso: '2020-02-03T04:05:06.007Z' },
      deletedAt: null,
      tags: ['一', { deep: [null] }],
      meta: { a: { b: 1 } },
      place: { __type: 'GeoPoint', latitude: 30.5, longitude: 114.25 },
      bytes: { __type: 'Bytes', base64: 'aGk=' },
      author: { __type: 'Pointer', className: '_User', objectId: 'u1' },
      cover: { __type: 'File', id: 'f1', name: 'a.png', url: 'https://files.example.org/a.png' },
    }
    const short = { objectId: 'ab3dEf7hIj', createdAt: times.createdAt, updatedAt: times.updatedAt, ACL: {} }
    await target.file('posts/Post.0.jsonl', exportFile('Post', [post, short]))
    await target.file('posts/Empty.0.jsonl', exportFile('Empty', []))
    const { code, stdout, stderr } = await target.run(`${target.folder}/posts`)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Post')
    expect((await target.report()).counts.Post).toEqual({ read: 2, created: 2, updated: 0, existing: 0, rejected: 0 })
    expect((await target.report()).objectsHere).toEqual({ Post: 2 })

    const stored = await AV.Object.createWithoutData('Post', post.objectId).fetch({ includeACL: true }, {})
    expect(stored.createdAt!.toISOString()).toBe(times.createdAt)
    expect(stored.updatedAt!.toISOString()).toBe(times.updatedAt)
    expect(stored.get('publishedAt').toISOString()).toBe(post.publishedAt.iso)
    expect(stored.get('author').id).toBe('u1')
    const raw = (await app.request('GET', `/1.1/scan/classes/Post`, { master: true })).body.results
    const { ACL: _, cover: __, ...rest } = post
    expect(raw.find(({ objectId }: { objectId: string }) => objectId === post.objectId)).toMatchObject({
      ...rest,
      publishedAt: post.publishedAt,
    })
    const { rows } = await app.sql('SELECT acl, readers, writers FROM "Post" ORDER BY id')
    expect(rows).toEqual([
      { acl: post.ACL, readers: null, writers: ['role:editor'] },
      { acl: {}, readers: [], writers: [] },
    ])
    const types = (await app.admin('GET', '/classes/Post')).body.fields
    expect(types).toMatchObject({ title: { type: 'String' }, cover: { type: 'File' }, author: { className: '_User' } })
  })

  test('users log in with their old passwords, session tokens and linked accounts', async () => {
    const user = (id: string, more: object) => ({ objectId: id, ...times, username: id, ...more })
    const hosted = {
      password: 'tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug==',
      salt: 'h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2',
    }
    const users = [
      user('ann', {
        ...hosted,
        sessionToken: 'annssessiontoken123456789',
        email: 'ann@example.org',
        emailVerified: true,
      }),
      user('bob', { bcryptPassword: await bcrypt.hash('of bob', 4), email: '' }),
      user('cleo', { email: '', authData: { weixin: { openid: 'wx-cleo', access_token: 't', expires_in: 1 } } }),
      user('dan', { password: 'of another making', salt: 'x' }),
    ]
    await target.file('_User.0.jsonl', exportFile('_User', users))
    expect((await target.run(`${target.folder}/_User.0.jsonl`)).code).toBe(0)
    const ann = await AV.User.logIn('ann', 'password')
    expect([ann.id, ann.getSessionToken()]).toEqual(['ann', 'annssessiontoken123456789'])
    expect(ann.get('emailVerified')).toBe(true)
    expect((await AV.User.become('annssessiontoken123456789')).id).toBe('ann')
    expect((await AV.User.logIn('bob', 'of bob')).id).toBe('bob')
    await expect(AV.User.logIn('ann', 'other')).rejects.toMatchObject({ code: 210 })
    const body = { authData: { weixin: { openid: 'wx-cleo', access_token: 'u', expires_in: 2 } } }
    expect((await app.request('POST', '/1.1/users', { body })).body.objectId).toBe('cleo')
    expect((await target.report()).notes).toMatchObject({
      '_User: password in an unknown format: the user must reset it': { count: 1, examples: ['_User.0.jsonl:5'] },
      '_User: empty email, omitted': { count: 2, examples: ['_User.0.jsonl:3', '_User.0.jsonl:4'] },
    })
    const { rows } = await app.sql(`SELECT data FROM "_User" WHERE data ?| ARRAY['password', 'salt', 'sessionToken']`)
    expect(rows).toEqual([])
  })

  test('reports rejected records by line, which can be corrected and imported', async () => {
    const lines = [
      { objectId: 'g1', n: 1, __type: 'Object', className: 'Game', __v: 3 },
      { objectId: 'not an id', n: 1 },
      { objectId: 'g2', n: 'text' },
      { objectId: 'g3', n: 2, createdAt: 'soon' },
      { objectId: 'g6', deep: 'DEEP' },
    ]
    const path = await target.file(
      'Game.0.jsonl',
      `${exportFile('Game', lines).replace('"DEEP"', '['.repeat(5000) + ']'.repeat(5000))}{"objectId":"g4","n":12345678901234567}\n{"objectId":"g5",\n`,
    )
    const { code } = await target.run(path)
    expect(code).toBe(3)
    expect((await target.report()).counts.Game).toEqual({ read: 7, created: 2, updated: 0, existing: 0, rejected: 5 })
    const rejected = await target.rejected()
    expect(rejected.map(({ place }) => place)).toEqual([3, 4, 5, 6, 8].map((line) => `Game.0.jsonl:${line}`))
    expect(rejected.map(({ className }) => className)).toEqual(Array(5).fill('Game'))
    expect(rejected[1]).toMatchObject({ object: lines[2], reason: expect.stringContaining("'n'") })
    expect(rejected[4]).toMatchObject({ text: '{"objectId":"g5",' })
    expect(Object.keys((await target.report()).notes).sort()).toEqual([
      "Game: member '__v', omitted because it cannot be a field name",
      'Game: number beyond 2^53, rounded',
    ])

    const corrected = [
      { ...rejected[0], object: { objectId: 'g9', n: 9 } },
      { ...rejected[4], text: '{"objectId":"g5"}' },
    ]
    const again = await target.file(
      'corrected.jsonl',
      `#filetype:JSON-streaming {"type":"Rejected"}\n${corrected.map((one) => `${JSON.stringify(one)}\n`).join('')}`,
    )
    expect((await target.run(again)).code).toBe(0)
    const { body } = await app.request('GET', '/1.1/classes/Game', { query: { order: 'objectId' } })
    expect(body.results.map(({ objectId }: { objectId: string }) => objectId)).toEqual(['g1', 'g4', 'g5', 'g9'])
  })

  test('accepts a line of ten megabytes, and rejects one above the object limit', async () => {
    const large = { objectId: 'l1', text: 'x'.repeat(10_000_000) }
    const quoted = { objectId: 'l2', text: '"'.repeat(8_000_000) }
    const beyond = { objectId: 'l4', text: 'x'.repeat(18_000_000) }
    const lines = [large, quoted, beyond, { objectId: 'l3', text: 'y' }]
    const path = await target.file('Large.0.jsonl', exportFile('Large', lines))
    expect((await target.run(path)).code).toBe(3)
    const { rows } = await app.sql(`SELECT id, length(data->>'text') AS length FROM "Large" ORDER BY id`)
    expect(rows).toEqual([
      { id: 'l1', length: 10_000_000 },
      { id: 'l2', length: 8_000_000 },
      { id: 'l3', length: 1 },
    ])
    const [rejected] = await target.rejected()
    expect(rejected).toMatchObject({ place: 'Large.0.jsonl:4', reason: expect.stringContaining('16 MB') })
    expect(rejected.text).toHaveLength(2000)
  })

  test('recognizes and skips a file already imported', async () => {
    const path = await target.file('Twice.0.jsonl', exportFile('Twice', [{ n: 1 }, { n: 2 }]))
    await target.run(path)
    const { code, stdout } = await target.run(path)
    expect([code, stdout]).toEqual([0, expect.stringContaining('already imported')])
    expect((await app.request('GET', '/1.1/classes/Twice')).body.results).toHaveLength(2)
  })
})
