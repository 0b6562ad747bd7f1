import { gzipSync } from 'node:zlib'
import { DBRef, type Document, ObjectId, serialize } from 'bson'
import AV from 'leancloud-storage'
import { describe, expect, test } from 'vitest'
import { exportFile, makeImportTarget } from './imports.ts'
import { tarOf } from './tar.ts'
import { zipOf } from './zip.ts'

const target = await makeImportTarget()
const { app } = target
const bson = (...documents: Document[]) => Buffer.concat(documents.map((one) => serialize(one)))
const ids = (className: string) =>
  app
    .request('GET', `/1.1/classes/${className}`, { master: true, query: { order: 'objectId' } })
    .then(({ body }) => body.results.map(({ objectId }: { objectId: string }) => objectId))

describe('archives', { timeout: 120_000 }, () => {
  test('imports a .zip of packed BSON: objects, relation members, effective roles', async () => {
    const [ann, bob] = [new ObjectId('5c7cd2a0e4b0f5c4a1b2c3d4'), new ObjectId('5c7cd2a0e4b0f5c4a1b2c3d5')]
    const [role, secret] = [new ObjectId('5c7cd2a0e4b0f5c4a1b2c3d6'), new ObjectId('5c7cd2a0e4b0f5c4a1b2c3d7')]
    const at = { createdAt: new Date(1_500_000_000_123), updatedAt: new Date(1_600_000_000_456) }
    const hash = 'tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug=='
    const salt = 'h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2'
    const users = [ann, bob].map((_id, index) => ({
      _id,
      ...at,
      username: `member${index}`,
      password: hash,
      salt,
      sessionToken: `token-of-member-${index}`,
    }))
    const acl = { 'role:editor': { read: true } }
    const join = { _id: new ObjectId(), owningId: new DBRef('_Role', role), relatedId: new DBRef('_User', ann) }
    const path = await target.file(
      'backup.zip',
      zipOf({
        'dump/_User.x1.bson.gz': gzipSync(bson(...users)),
        'dump/_Role.x2.bson.gz': gzipSync(
          bson({ _id: role, ...at, name: 'editor', ACL: { '*': { read: true } }, _r: ['*'] }),
        ),
        'dump/_Join:_Role:users:_User.x3.bson.gz': gzipSync(bson(join)),
        'dump/Secret.x4.bson.gz': gzipSync(bson({ _id: secret, ...at, ACL: acl, when: at.createdAt })),
        'dump/Secret.metadata.json': '{"options":{},"indexes":[]}',
      }),
    )
    const { code, stderr } = await target.run(path)
    expect([code, stderr]).toEqual([0, ''])
    expect(Object.keys((await target.report()).counts)).toEqual(['Secret', '_Role', '_Role.users', '_User'])
    await AV.User.logIn('member0', 'password')
    const found = await new AV.Query('Secret').get(secret.toHexString())
    expect([found.createdAt, found.get('when')]).toEqual([at.createdAt, at.createdAt])
    await AV.User.logIn('member1', 'password')
    await expect(new AV.Query('Secret').get(secret.toHexString())).rejects.toMatchObject({ code: 403 })
    await AV.User.logOut()
    const members = await (await new AV.Query(AV.Role).get(role.toHexString(), { useMasterKey: true }))
      .getUsers()
      .query()
      .find({ useMasterKey: true })
    expect(members.map(({ id }) => id)).toEqual([ann.toHexString()])
  })

  test('reimports an export of Homeport unchanged', async () => {
    const like = { __type: 'Pointer', className: 'Fan', objectId: 'fan1' }
    await app.request('POST', '/1.1/classes/Fan', { body: { name: 'x' } })
    const band = await app.request('POST', '/1.1/classes/Band', {
      body: { name: 'y', fans: { __op: 'AddRelation', objects: [like] } },
    })
    const { body } = await app.request('POST', '/1.1/exportData', { master: true, body: { classes: 'Band,Fan' } })
    let state = body
    while (state.status === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 50))
      state = (await app.request('GET', `/1.1/exportData/${body.id}`, { master: true })).body
    }
    const archive = Buffer.from(await (await fetch(state.download_url)).arrayBuffer())
    await app.admin('DELETE', '/classes/Band')
    await app.admin('DELETE', '/classes/Fan')
    expect((await target.run(await target.file('own.tar.gz', archive))).code).toBe(0)
    expect(await ids('Band')).toEqual([band.body.objectId])
    expect(
      (await app.sql(`SELECT owner_class, field, owner_id, related_id FROM "$relations" WHERE owner_class = 'Band'`))
        .rows,
    ).toEqual([{ owner_class: 'Band', field: 'fans', owner_id: band.body.objectId, related_id: 'fan1' }])
    expect((await app.admin('GET', '/classes/Band')).body.fields.fans).toEqual({ type: 'Relation', className: 'Fan' })
  })

  test('applies a schema before the objects, at any path, and its indexes afterwards', async () => {
    const schema = {
      ACL: { type: 'ACL', default: { _owner: { read: true, write: true } } },
      code: { type: 'String', required: true },
      n: { type: 'Number', auto_increment: true },
      note: { type: 'String', hidden: true, comment: 'for us', default: 'none' },
      odd: { type: 'Mystery' },
    }
    const archive = await tarOf({
      'Ticket.0.jsonl': exportFile('Ticket', [
        { objectId: 't1', code: 'a', n: 41 },
        { objectId: 't2', code: 2 },
        { objectId: 't3', code: 'c', n: 3 },
      ]),
      'Ticket_schema.json': JSON.stringify(schema),
      'Ticket_permissions.json': JSON.stringify({
        delete: { users: '', roles: '' },
        add_fields: { onlySignInUsers: true, users: '', roles: '' },
        update: { users: 'u1,u2', roles: 'administrator' },
      }),
      'Ticket_indexes.json': JSON.stringify([
        { unique: true, key: { code: 1 }, name: 'code_1' },
        { key: { n: -1 }, name: 'n' },
      ]),
    })
    const { code, stdout } = await target.run(await target.file('ticket.tar.gz', gzipSync(archive)))
    expect(code).toBe(3)
    expect(stdout).toContain('field odd: unknown type')
    expect((await target.rejected()).map(({ place }) => place)).toEqual(['Ticket.0.jsonl:3'])
    const shown = (await app.admin('GET', '/classes/Ticket')).body
    expect(shown).toMatchObject({
      fields: { note: { hidden: 'results', comment: 'for us', default: 'none' }, code: { required: true } },
      permissions: {
        delete: 'master',
        addField: 'users',
        update: { users: ['u1', 'u2'], roles: ['administrator'] },
      },
      defaultAcl: { _owner: { read: true, write: true } },
      indexes: expect.arrayContaining(['unique code', '-n']),
    })
    const made = await app.request('POST', '/1.1/classes/Ticket', { master: true, body: { code: 'd' } })
    expect((await app.request('GET', `/1.1/classes/Ticket/${made.body.objectId}`, { master: true })).body.n).toBe(42)
  })

  test('imports a truncated archive up to the cut, and reports it', async () => {
    const objects = Array.from({ length: 3000 }, (_, index) => ({ objectId: `c${index}`, n: (index * 7919) % 1000 }))
    const whole = gzipSync(
      await tarOf({
        'First.0.jsonl': exportFile('First', [{ objectId: 'f1' }]),
        'Cut.0.jsonl': exportFile('Cut', objects),
      }),
    )
    const { code, stdout } = await target.run(await target.file('cut.tar.gz', whole.subarray(0, whole.length / 2)))
    expect([code, stdout]).toEqual([3, expect.stringContaining('truncated')])
    const { counts, notUnderstood } = await target.report()
    expect(counts.First.created).toBe(1)
    expect(counts.Cut.created).toBeGreaterThan(500)
    expect(counts.Cut.rejected).toBe(1)
    expect(notUnderstood).toHaveLength(1)
  })

  test('imports relation members from lines, lists and CSV when the relation is named', async () => {
    const lines = await target.file(
      'members.json',
      '{"owningId":"p1","relatedId":"q1"}\n{"owningId":"p1","relatedId":"q1"}\n{"owningId":"p1"}\n',
    )
    expect((await target.run('--relation', 'Pick.chosen', lines)).code).toBe(3)
    expect((await target.rejected())[0].reason).toContain('--relation Pick.chosen:<Class>')
    expect((await target.run('--again', '--relation', 'Pick.chosen:Post', lines)).code).toBe(3)
    expect((await target.report()).counts['Pick.chosen']).toEqual({
      read: 3,
      created: 1,
      updated: 0,
      existing: 1,
      rejected: 1,
    })
    const list = await target.file('list.json', '{"results":[{"owningId":"p3","relatedId":"q1"}]}')
    expect((await target.run('--relation', 'Pick.chosen', list)).code).toBe(0)
    const named = await target.file('_Join:chosen:Pick.json', '[{"owningId":"p4","relatedId":"q1"}]')
    expect((await target.run(named)).code).toBe(0)
    const csv = await target.file('members.csv', 'p1,q2\np2,q1\n')
    expect((await target.run('--relation', 'Pick.chosen', csv)).code).toBe(0)
    const { rows } = await app.sql(
      `SELECT owner_id, related_id FROM "$relations" WHERE owner_class = 'Pick' ORDER BY 1, 2`,
    )
    expect(rows.map((row) => Object.values(row).join())).toEqual(['p1,q1', 'p1,q2', 'p2,q1', 'p3,q1', 'p4,q1'])
  })
})
