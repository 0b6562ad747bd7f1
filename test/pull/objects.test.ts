import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { runProgram } from '../support/program.ts'
import { everything, makePull } from './pulls.ts'

const pull = await makePull()
const { source, target } = pull

describe('a live app', { timeout: 120_000 }, () => {
  test('is copied with its classes, all types, ids, times and ACLs, its users, roles and relation members', async () => {
    const times = { createdAt: '2019-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.001Z' }
    await pull.fill('Post', [
      {
        objectId: '5c7cd2a0e4b0f5c4a1b2c3d4',
        ...times,
        ACL: { '*': { read: true }, 'role:editor': { write: true } },
        title: '你好 "all"',
        score: 1.5,
        publishedAt: { __type: 'Date', iso: '2020-02-03T04:05:06.007Z' },
        deletedAt: null,
        meta: { results: [{ objectId: 'x' }] },
        place: { __type: 'GeoPoint', latitude: 30.5, longitude: 114.25 },
        bytes: { __type: 'Bytes', base64: 'aGk=' },
        author: { __type: 'Pointer', className: '_User', objectId: 'u1' },
        cover: { __type: 'File', id: 'f1', name: 'a.png', url: 'https://files.example.org/a.png' },
      },
      { objectId: 'short', ...times, ACL: {} },
    ])
    const ann = await source.makeUser('ann')
    const role = await source.request('POST', '/1.1/roles', {
      master: true,
      body: {
        name: 'editor',
        ACL: { '*': { read: true } },
        users: { __op: 'AddRelation', objects: [{ __type: 'Pointer', className: '_User', objectId: ann.id }] },
      },
    })
    const fans = Array.from({ length: 1203 }, (_, n) => ({ objectId: `fan${String(n).padStart(5, '0')}`, n }))
    await pull.fill('Fan', fans)
    for (let begin = 0; begin < fans.length; begin += 400)
      await source.request('PUT', '/1.1/classes/Post/short', {
        master: true,
        body: {
          likes: {
            __op: 'AddRelation',
            objects: fans
              .slice(begin, begin + 400)
              .map(({ objectId }) => ({ __type: 'Pointer', className: 'Fan', objectId })),
          },
        },
      })
    const { code, stdout, stderr } = await pull.run()
    expect([code, stdout]).toEqual([0, expect.stringContaining('passwords')])
    expect(stdout + stderr).not.toContain(source.masterKey)
    for (const className of ['Post', 'Fan', '_User', '_Role'])
      expect(await everything(target, className)).toEqual(await everything(source, className))
    const members = async (app: typeof source) =>
      (
        await app.sql(
          'SELECT owner_class, field, owner_id, related_id FROM "$relations" ORDER BY owner_class, field, owner_id, related_id',
        )
      ).rows
    expect(await members(target)).toEqual(await members(source))
    expect(await members(target)).toHaveLength(1204)
    const { counts } = await pull.report()
    expect(counts).toMatchObject({ Post: { read: 2, created: 2 }, 'Post.likes': { read: 1203, created: 1203 } })
    const schema = (app: typeof source) => app.request('GET', '/1.1/schemas', { master: true })
    expect((await schema(target)).body.Post).toEqual((await schema(source)).body.Post)
    expect(role.status).toBe(201)
  })

  test('copies new objects on another pull, and keeps those changed here later', async () => {
    await source.request('PUT', '/1.1/classes/Fan/fan00001', { master: true, body: { n: -1 } })
    await source.request('POST', '/1.1/classes/Fan', { master: true, body: { n: -2 } })
    await target.request('PUT', '/1.1/classes/Fan/fan00002', { master: true, body: { n: 'mine'.length } })
    expect((await pull.run()).code).toBe(0)
    expect((await pull.report()).counts.Fan).toMatchObject({ created: 1204, updated: 1 })
    const [here, there] = [await everything(target, 'Fan'), await everything(source, 'Fan')]
    expect(here.get('fan00001')).toEqual(there.get('fan00001'))
    expect(here.get('fan00002')).toMatchObject({ data: { n: 4 } })
    expect(here.size).toBe(1204)
  })

  test('users get their passwords and session tokens from a later imported export', async () => {
    const { rows } = await source.sql('SELECT user_id, password, session_token FROM "$credentials"')
    const known = (await source.request('GET', '/1.1/users', { master: true })).body.results[0]
    const line = { ...known, password: rows[0].password, sessionToken: rows[0].session_token }
    const path = join(tmpdir(), `homeport-export-${target.appId}.jsonl`)
    await writeFile(path, `#filetype:JSON-streaming {"type":"Class","class":"_User"}\n${JSON.stringify(line)}\n`)
    const login = () => target.request('POST', '/1.1/login', { body: { username: 'ann', password: 'password of ann' } })
    expect((await login()).status).toBe(400)
    const args = ['import', '--app', target.appId, '--url', target.url, '--on-conflict', 'newer']
    const environment = { HOMEPORT_ADMIN_TOKEN: inject('adminToken') }
    expect((await runProgram([...args, '--report', `${path}.report`, path], environment)).code).toBe(0)
    expect((await login()).body.sessionToken).toBe(rows[0].session_token)
  })

  test('is not pulled without ACLs unless confirmed', async () => {
    const show = (returnAclInQueries: boolean) =>
      source.admin('PATCH', '/settings', { storage: { returnAclInQueries } })
    await show(false)
    const refused = await pull.run()
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('returns no ACLs')])
    expect((await pull.run('--without-acl')).code).toBe(0)
    await show(true)
  })

  test('is not pulled without a master key, or with a wrong one', async () => {
    const wrong = await pull.run('--master-key', 'wrong-key-of-the-test')
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/401 .*check --source-app and the master key/),
    ])
    expect(wrong.stderr).not.toContain('wrong-key-of-the-test')
    const args = ['pull', '--app', target.appId, '--url', target.url, '--from', source.url, '--source-app', 'x']
    const none = await runProgram(args, { HOMEPORT_ADMIN_TOKEN: inject('adminToken') })
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('HOMEPORT_SOURCE_MASTER_KEY')])
  })
})
