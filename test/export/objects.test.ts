import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import AV from 'leancloud-storage'
import { describe, expect, test } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { initSdk, makeSdkApp, save } from '../support/sdk.ts'
import { withoutProgress } from '../support/without-progress.ts'
import { namesIn, recordsIn, runFor, scratchFolder } from './exported-app.ts'

const app = await makeSdkApp()
const master = { useMasterKey: true }

/** Reads all objects of a class as returned by the API, with their ACLs. */
async function objectsOf(of: TestApp, className: string) {
  const query = { returnACL: 'true', order: 'objectId' }
  return (await of.request('GET', `/1.1/classes/${className}`, { master: true, query })).body.results
}

async function fill() {
  const ann = new AV.User()
  await ann.signUp({ username: 'ann', email: 'ann@example.org', password: 'of ann' })
  const tags = await Promise.all(['one', 'two'].map((name) => save('Tag', { name })))
  const acl = new AV.ACL(ann)
  acl.setPublicReadAccess(true)
  const post = new AV.Object('Post', {
    title: '你好 "all"',
    at: new Date(1_600_000_000_123),
    place: new AV.GeoPoint(30.5, 114.25),
    author: ann,
    nested: { list: [1, { deep: [null, 'x'] }] },
    none: null,
  })
  post.setACL(acl)
  for (const tag of tags) post.relation('tags').add(tag)
  await post.save()
  await new AV.Role('editor', acl).save()
  const role = await new AV.Query('_Role').equalTo('name', 'editor').first(master)
  const editor = role as AV.Object
  editor.relation('users').add(ann)
  await editor.save({}, master)
  await app.admin('PATCH', '/classes/Post', {
    fields: {
      number: { type: 'Number', autoIncrement: true },
      kind: { type: 'String', default: 'plain', comment: 'why' },
    },
    permissions: { delete: { users: [], roles: ['editor'] }, create: 'users', update: 'master' },
    defaultAcl: { _owner: { read: true, write: true } },
    indexes: [{ fields: ['title'], unique: true }],
  })
  await save('Post', { title: 'numbered' }, { user: ann })
  await save('Empty', { n: 1 }).then((object) => object.destroy())
  return { ann, post }
}

describe('an app that is exported and imported into another', { timeout: 120_000 }, async () => {
  const { ann, post } = await fill()
  const folder = join(scratchFolder(), 'out')
  const other = await makeApp()

  test('is written in the format of the hosted service, readable only by its owner', async () => {
    const { code, stdout, stderr } = await runFor(app, 'export', '--to', folder)
    expect([code, withoutProgress(stderr)]).toEqual([0, ''])
    expect(stdout).toContain('session tokens')
    const names = await namesIn(folder)
    expect(names).toEqual(expect.arrayContaining(['Post.0.jsonl', 'Empty.0.jsonl', 'Post_all.json', 'export.json']))
    expect(names).toContain('Post.tags.relation.0.jsonl')
    expect(names.filter((name) => name.startsWith('.'))).toEqual([])
    expect(names).not.toContain('_Installation.0.jsonl')
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    const [user] = await recordsIn(folder, '_User.0.jsonl')
    expect(user).toMatchObject({ objectId: ann.id, sessionToken: ann.getSessionToken(), password: expect.any(String) })
    expect(await recordsIn(folder, 'Empty.0.jsonl')).toEqual([])
  })

  test('is identical after the import', async () => {
    const report = scratchFolder()
    const { code, stdout, stderr } = await runFor(other, 'import', '--report', report, folder)
    expect([code, withoutProgress(stderr), stdout]).toEqual([0, '', expect.any(String)])
    for (const className of ['Post', 'Tag', 'Empty', '_User', '_Role'])
      expect(await objectsOf(other, className), className).toEqual(await objectsOf(app, className))
    const classes = async (of: TestApp) => (await of.admin('GET', '/classes')).body.classes
    expect(await classes(other)).toEqual(await classes(app))
    const query = {
      where: JSON.stringify({
        $relatedTo: { object: { __type: 'Pointer', className: 'Post', objectId: post.id }, key: 'tags' },
      }),
      order: 'name',
    }
    const related = await other.request('GET', '/1.1/classes/Tag', { query })
    expect(related.body.results.map(({ name }: { name: string }) => name)).toEqual(['one', 'two'])
  })

  test('lets users log in with their passwords and session tokens', async () => {
    await initSdk(other)
    expect((await AV.User.logIn('ann', 'of ann')).id).toBe(ann.id)
    expect((await AV.User.become(ann.getSessionToken())).id).toBe(ann.id)
    const roles = await (await AV.User.logIn('ann', 'of ann')).getRoles()
    expect(roles.map((role) => role.getName())).toEqual(['editor'])
    const next = await save('Post', { title: 'the next one' })
    await next.fetch({}, master)
    expect(next.get('number')).toBe(2)
  })

  test('resumes with the missing parts after an interruption', async () => {
    const again = await runFor(app, 'export', '--to', folder)
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('--again')])
    const elsewhere = await runFor(other, 'export', '--to', folder)
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('another app')])
  })
})

test('an export requires the administrator token and a valid position', async () => {
  expect((await app.request('GET', `/admin/apps/${app.appId}/export`, { master: true })).status).toBe(401)
  for (const from of ['', 'x', '{"section":1}', '{"section":"1 Post","part":-1,"after":null}', '["1"]']) {
    const { status, body } = await app.admin('GET', `/export?from=${encodeURIComponent(from)}`)
    expect([status, body.error], from).toEqual([400, expect.stringContaining("'from'")])
  }
})
