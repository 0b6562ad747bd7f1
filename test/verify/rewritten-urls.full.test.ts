import { expect, inject, test } from 'vitest'
import { exportFile } from '../import/imports.ts'
import { makeVerifyTarget } from './verifications.ts'

const target = await makeVerifyTarget()
const { app } = target

test('texts with rewritten file URLs are equal, and no others', {
  timeout: 200_000,
}, async () => {
  await app.admin('PATCH', '/settings', { files: { domain: 'https://files.example.cn' } })
  const url = `${app.url}/admin/apps/${app.appId}/files/bytes?${new URLSearchParams({ key: 'a.png', name: 'a.png' })}`
  const headers = { authorization: `Bearer ${inject('adminToken')}`, 'content-type': 'application/octet-stream' }
  expect((await fetch(url, { method: 'PUT', headers, body: 'abc' })).status).toBe(200)
  const old = 'https://old.example.org/a.png'
  const posts = [
    {
      objectId: 'p1',
      cover: old,
      body: { html: `<img src="${old}?imageView2/1">` },
      other: 'https://old.example.org/b.png',
    },
    { objectId: 'p2', cover: old },
    { objectId: 'p3', cover: old, other: 'x' },
  ]
  const message = { 'msg-id': 'm1', 'conv-id': 'c1', timestamp: 1_600_000_000_000, from: 'ann', data: `see ${old}` }
  await target.file('all/Post.0.jsonl', exportFile('Post', posts))
  await target.file('all/_Conversation.0.jsonl', exportFile('_Conversation', [{ objectId: 'c1', m: ['ann'] }]))
  await target.file('all/messages.jsonl', `${JSON.stringify(message)}\n`)
  const source = `${target.folder}/all`
  const rewriting = ['--rewrite-urls', 'Post.cover,Post.body,messages', '--old-domain', 'old.example.org']
  expect((await target.run(...rewriting, source)).code).toBe(0)
  const { rows } = await app.sql(`SELECT data->>'cover' AS cover FROM "Post" WHERE id = 'p2'`)
  expect(rows).toEqual([{ cover: 'https://files.example.cn/a.png' }])

  expect((await target.verify(source)).conclusion).toBe(
    'Not safe to switch: 3 objects of Post differ, 1 message differs.',
  )
  const rewritten = () => target.verify(source, '--rewritten-urls', '--old-domain', 'old.example.org')
  expect((await rewritten()).conclusion).toBe('Safe to switch: all 5 records of the source are in the app and match.')

  await app.sql(`UPDATE "Post" SET data = data - 'cover' WHERE id = 'p1'`)
  await app.sql(`UPDATE "Post" SET data = data || '{"cover": "https://files.example.cn/b.png"}' WHERE id = 'p2'`)
  await app.sql(`UPDATE "Post" SET data = data || '{"cover": "${old}"}' WHERE id = 'p3'`)
  await app.sql(`UPDATE "$messages" SET content = content || '.'`)
  const { conclusion, differences } = await rewritten()
  expect(conclusion).toBe('Not safe to switch: 2 objects of Post differ, 1 message differs.')
  expect(differences.map(({ objectId, field }) => [objectId, field]).sort()).toEqual(
    [
      ['p1', 'cover'],
      ['p2', 'cover'],
      ['c1 → 0001600000000000 → m1', 'content'],
    ].sort(),
  )
})
