import { describe, expect, test } from 'vitest'
import { exportFile, makeImportTarget } from './imports.ts'

const target = await makeImportTarget()
const { app } = target
const at = (day: number) => `2020-01-0${day}T00:00:00.000Z`
const object = (objectId: string, day: number, more: object = {}) => ({
  objectId,
  createdAt: at(1),
  updatedAt: at(day),
  day,
  ...more,
})
const days = async (className: string) => {
  const { rows } = await app.sql(`SELECT id, data->'day' AS day FROM "${className}" ORDER BY id`)
  return Object.fromEntries(rows.map(({ id, day }) => [id, day]))
}

describe('an object that already exists', { timeout: 120_000 }, () => {
  test.each([
    ['skip', { a: 3, b: 3, c: 3, d: 1 }, { read: 6, created: 1, updated: 0, existing: 5, rejected: 0 }],
    ['overwrite', { a: 2, b: 3, c: 4, d: 2 }, { read: 6, created: 1, updated: 3, existing: 2, rejected: 0 }],
    ['newer', { a: 3, b: 3, c: 5, d: 2 }, { read: 6, created: 1, updated: 1, existing: 4, rejected: 0 }],
  ])('%s', async (mode, expected, counts) => {
    const className = `On_${mode}`
    const before = await target.file(
      `before/${className}.0.jsonl`,
      exportFile(className, [object('a', 3), object('b', 3), object('c', 3)]),
    )
    await target.run(before)
    const given = [object('a', 2), object('b', 3), object('c', 5), object('c', 4), object('d', 1), object('d', 2)]
    const after = await target.file(`${className}.0.jsonl`, exportFile(className, given))
    expect((await target.run('--on-conflict', mode, after)).code).toBe(0)
    expect(await days(className)).toEqual(expected)
    expect((await target.report()).counts[className]).toEqual(counts)
  })

  test('a user keeps the password and session missing from the import; its other fields are replaced', async () => {
    const { id, session } = await app.makeUser('kept')
    const body = { authData: { github: { uid: 'old' } } }
    await app.request('PUT', `/1.1/users/${id}`, { session, body })
    const user = object(id, 9, {
      username: 'kept',
      authData: { github: { uid: 'new' } },
      updatedAt: '2999-01-01T00:00:00.000Z',
    })
    const path = await target.file('_User.0.jsonl', exportFile('_User', [user]))
    expect((await target.run('--on-conflict', 'newer', path)).code).toBe(0)
    const login = { username: 'kept', password: 'password of kept' }
    expect((await app.request('POST', '/1.1/login', { body: login })).body.sessionToken).toBe(session)
    const { rows } = await app.sql(`SELECT platform, uid FROM "$identities" WHERE user_id = '${id}'`)
    expect(rows).toEqual([{ platform: 'github', uid: 'new' }])
  })

  test('rejects names, addresses, tokens and accounts of other users one by one, and imports the rest', async () => {
    await app.makeUser('taken')
    const users = [
      { objectId: 'n1', username: 'taken' },
      { objectId: 'n2', username: 'free' },
      { objectId: 'n3', username: 'second', email: 'x@example.org', sessionToken: 'one-token' },
      { objectId: 'n4', username: 'third', email: 'x@example.org' },
      { objectId: 'n5', username: 'fourth', sessionToken: 'one-token' },
      { objectId: 'n6', username: 'fifth', authData: { github: { uid: 'new' } } },
      { objectId: 'n7', username: 'sixth', mobilePhoneNumber: '+8613800000000' },
      { objectId: 'n8', username: 'seventh', mobilePhoneNumber: '13800000000' },
    ]
    const path = await target.file('more/_User.0.jsonl', exportFile('_User', users))
    expect((await target.run(path)).code).toBe(3)
    const reasons = (await target.rejected()).map(({ object, reason }) => [object.objectId, reason])
    expect(Object.fromEntries(reasons)).toEqual({
      n1: 'Username has already been taken.',
      n4: 'Email has already been taken.',
      n5: 'Another user already has this session token.',
      n6: 'The account of another platform in authData is already linked to another user.',
      n8: expect.stringContaining('phone number'),
    })
    const { rows } = await app.sql(`SELECT id FROM "_User" WHERE id LIKE 'n_' ORDER BY id`)
    expect(rows.map(({ id }) => id)).toEqual(['n2', 'n3', 'n7'])
  })
})

describe('a dry run', { timeout: 120_000 }, () => {
  test('reports the result, and changes nothing', async () => {
    const everything = async () => {
      const tables = [
        'On_skip',
        '_User',
        '$imports',
        '$import_rejected',
        '$relations',
        '$classes',
        '$fields',
        '$registry',
        '$credentials',
      ]
      const found = await Promise.all(
        tables.map((name) =>
          app.sql(`SELECT * FROM "${name}" ORDER BY 1, 2`).catch(() => app.sql(`SELECT * FROM "${name}"`)),
        ),
      )
      return found.map(({ rows }) => rows)
    }
    const before = await everything()
    await target.file(
      'dry/On_skip.0.jsonl',
      exportFile('On_skip', [object('a', 1), object('z', 1), { day: 'x' }, { fresh: 1 }]),
    )
    await target.file('dry/Fresh.0.jsonl', exportFile('Fresh', [{ n: 1 }, { n: 'x' }]))
    await target.file('dry/Fresh_schema.json', '{"m":{"type":"String"}}')
    await target.file(
      'dry/_User.0.jsonl',
      exportFile('_User', [{ objectId: 'u9', username: 'taken' }, { username: 'new' }]),
    )
    await target.file('dry/Fresh.likes.relation.jsonl', '{"owningId":"a","relatedId":"b"}\n')
    const { code, stdout } = await target.run('--dry-run', `${target.folder}/dry`)
    expect([code, stdout]).toEqual([3, expect.stringContaining('would apply')])
    expect((await target.report()).counts).toMatchObject({
      On_skip: { read: 4, created: 2, existing: 1, rejected: 1 },
      Fresh: { read: 2, created: 1, rejected: 1 },
      _User: { read: 2, created: 1, rejected: 1 },
    })
    expect((await target.rejected()).map(({ place }) => place)).toContain('dry/_User.0.jsonl:2')
    expect(await everything()).toEqual(before)
  })
})
