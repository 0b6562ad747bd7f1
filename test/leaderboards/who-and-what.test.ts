import { describe, expect, it } from 'vitest'
import { makeApp, type RequestOptions } from '../support/app.ts'
import { makeBoards } from './boards.ts'

const app = await makeApp()
const { makeBoard, write, ranks } = makeBoards(app)
const BOARDS = '/1.1/leaderboard/leaderboards'

const master = { master: true }
const post = (path: string, body: unknown, options: RequestOptions = master) =>
  app.request('POST', path, { ...options, body })

describe('rejects an invalid leaderboard', () => {
  it.each([
    [{}, 2103, 'statisticName'],
    [{ statisticName: '' }, 2103, 'statisticName'],
    [{ statisticName: 'a b' }, 2103, 'statisticName'],
    [{ statisticName: 'a,b' }, 2103, 'statisticName'],
    [{ statisticName: 'x'.repeat(101) }, 2103, 'statisticName'],
    [{ statisticName: 7 }, 2103, 'statisticName'],
    [{ statisticName: 'a', order: 'sideways' }, 2103, 'order'],
    [{ statisticName: 'a', updateStrategy: 'worse' }, 2103, 'updateStrategy'],
    [{ statisticName: 'a', versionChangeInterval: 'year' }, 2103, 'versionChangeInterval'],
    [{ statisticName: 'a', memberType: 'no class' }, 103, 'no class'],
    [{ statisticName: 'a', memberType: 'Nothing' }, 101, 'Nothing'],
    ['"text"', 107, 'JSON'],
  ])('%j: %d', async (body, code, named) => {
    const answer = await post(BOARDS, body)
    expect(answer.body).toEqual({ code, error: expect.stringContaining(named) })
  })

  it('with a taken name: 137', async () => {
    const { name } = await makeBoard({})
    expect((await post(BOARDS, { statisticName: name })).body).toMatchObject({ code: 137 })
  })

  it('and an existing one keeps its name, members and order', async () => {
    const { name } = await makeBoard({})
    for (const change of [{ statisticName: 'other' }, { order: 'ascending' }, { memberType: '_User' }, {}]) {
      const { body } = await app.request('PUT', `${BOARDS}/${name}`, { ...master, body: change })
      expect(body).toMatchObject({ code: 2103 })
    }
  })
})

describe('rejects invalid statistics', async () => {
  const { name } = await makeBoard({})
  const good = { statisticName: name, statisticValue: 1 }
  it.each([
    [{}, 1, 'list'],
    [[], 1, 'list'],
    [Array.from({ length: 101 }, () => good), 1, '1 to 100'],
    [[good, good], 1, 'twice'],
    [[7], 1, 'statistic 0'],
    [[{ statisticValue: 1 }], 1, 'statisticName'],
    [[{ statisticName: name }], 111, 'statisticValue'],
    [[{ statisticName: name, statisticValue: '7' }], 111, 'statisticValue'],
    [[{ statisticName: name, statisticValue: 1e101 }], 111, 'statisticValue'],
    [[{ statisticName: 'a\0b', statisticValue: 1 }], 2100, 'ab'],
    [[good, { statisticName: 'unknown', statisticValue: 1 }], 2100, 'unknown'],
  ])('%j: %d', async (body, code, named) => {
    const answer = await post('/1.1/leaderboard/entities/one/statistics', body)
    expect(answer.body).toEqual({ code, error: expect.stringContaining(named) })
    expect(await ranks(name, {})).toEqual([])
  })

  it('numbers valid in JSON but not as a double', async () => {
    const body = `[{"statisticName":"${name}","statisticValue":1e999}]`
    expect((await post('/1.1/leaderboard/entities/one/statistics', body)).body).toMatchObject({ code: 111 })
  })

  it('of invalid members, or of members of another type', async () => {
    expect((await post(`/1.1/leaderboard/entities/${'x'.repeat(129)}/statistics`, [good])).body).toMatchObject({
      code: 1,
    })
    expect((await post('/1.1/leaderboard/entities/a%00b/statistics', [good])).status).toBe(400)
    expect((await post('/1.1/leaderboard/users/not%20an%20id/statistics', [good])).body).toMatchObject({ code: 104 })
    const { body } = await post('/1.1/leaderboard/users/someone/statistics', [good])
    expect(body).toEqual({ code: 1, error: expect.stringContaining('_Entity') })
    expect((await post('/1.1/leaderboard/users/self/statistics', [good])).body).toMatchObject({ code: 1 })
  })
})

describe('statistics of a user', async () => {
  const body = { statisticName: 'users_of_statistics', memberType: '_User', versionChangeInterval: 'never' }
  await app.request('POST', BOARDS, { master: true, body })
  const of = (id: string) => `/1.1/leaderboard/users/${id}/statistics`
  const score = [{ statisticName: body.statisticName, statisticValue: 7 }]
  const named = { statistics: body.statisticName }
  const malformed = { status: 400, body: { code: 104, error: expect.stringContaining('24 hexadecimal digits') } }

  it.each([
    'thisisnotexistedUser',
    'x',
    '5f51c1287628f2468aa696e',
    '5f51c1287628f2468aa696e60',
    '5F51C1287628F2468AA696E6',
    'a-b',
    '_User',
  ])('are rejected for %s, which is not a user id', async (id) => {
    const { session } = await app.makeUser(`asking for ${id}`)
    for (const caller of [{}, { session }, { master: true }])
      for (const query of [{}, named])
        expect(await app.request('GET', of(id), { query, ...caller })).toMatchObject(malformed)
    expect(await app.request('POST', of(id), { body: score, master: true })).toMatchObject(malformed)
    expect(await app.request('DELETE', of(id), { query: named, master: true })).toMatchObject(malformed)
    const { rows } = await app.sql('SELECT FROM "$statistics" WHERE member = $1', [id])
    expect(rows).toEqual([])
  })

  it('are empty for an unknown user id', async () => {
    for (const query of [{}, named])
      expect((await app.request('GET', of('5f51c1287628f2468aa696e6'), { query })).body).toEqual({ results: [] })
    expect(await app.request('DELETE', of('5f51c1287628f2468aa696e6'), { query: named, master: true })).toMatchObject({
      status: 200,
    })
  })

  it('are accepted for an imported user with another id format, also when the user is deleted', async () => {
    const { id, session } = await app.makeUser('of another form')
    await app.sql(`UPDATE "_User" SET id = 'imported1' WHERE id = $1`, [id])
    expect((await app.request('GET', of('imported1'))).body).toEqual({ results: [] })
    expect(await app.request('POST', of('imported1'), { body: score, master: true })).toMatchObject({ status: 200 })
    await app.sql(`DELETE FROM "_User" WHERE id = 'imported1'`)
    expect((await app.request('GET', of('imported1'))).body.results).toHaveLength(1)
    expect(await app.request('DELETE', of('imported1'), { query: named, master: true })).toMatchObject({ status: 200 })
    expect(await app.request('GET', of('imported1'), { session })).toMatchObject(malformed)
  })
})

describe('rejects invalid ranking queries', async () => {
  const { name } = await makeBoard({})
  await write(name, 'one', 1)
  const path = `${BOARDS}/entity/${name}/ranks`
  it.each([
    [`${path}?startPosition=-1`, 1, 'startPosition'],
    [`${path}?maxResultsCount=some`, 1, 'maxResultsCount'],
    [`${path}?version=7`, 2102, 'version'],
    [`${path}?includeStatistics=unknown`, 2100, 'unknown'],
    [`${path}?includeStatistics=a%00b`, 2100, 'ab'],
    [`${BOARDS}/entity/unknown/ranks`, 2100, 'unknown'],
    [`${BOARDS}/unknown/ranks`, 2100, 'unknown'],
    [`${BOARDS}/user/${name}/ranks`, 2100, name],
    [`${BOARDS}/a%00b`, 2100, 'not found'],
    ['/1.1/leaderboard/entities/one/statistics?statistics=unknown', 2100, 'unknown'],
  ])('%s: %d', async (path, code, named) => {
    const { body } = await app.request('GET', path)
    expect(body).toEqual({ code, error: expect.stringContaining(named) })
  })

  it('for more than 200 members', async () => {
    const ids = Array.from({ length: 201 }, (_, n) => `e${n}`)
    for (const path of [`/1.1/leaderboard/entities/statistics/${name}`, `${BOARDS}/entity/${name}/group/ranks`]) {
      expect((await post(path, { ids }, {})).body).toEqual({ code: 1, error: expect.stringContaining('200') })
      expect((await post(path, { ids: 'e1' }, {})).body).toMatchObject({ code: 1 })
    }
  })

  it('and a member without a value has no rank', async () => {
    expect(await ranks(name, {}, 'nobody')).toEqual([])
  })

  it('and a position after the last one returns no members', async () => {
    expect(await ranks(name, { startPosition: '5' })).toEqual([])
    expect(await ranks(name, { startPosition: '5000' })).toEqual([])
  })
})

describe('entities and objects', () => {
  it('can be written only with the master key, and read by everyone', async () => {
    const user = await app.makeUser('somebody')
    const { name } = await makeBoard({})
    for (const options of [{}, { session: user.session }])
      for (const kind of ['entities', 'objects']) {
        const answer = await post(
          `/1.1/leaderboard/${kind}/one/statistics`,
          [{ statisticName: name, statisticValue: 1 }],
          options,
        )
        expect([answer.status, answer.body.code]).toEqual([403, 403])
        const path = `/1.1/leaderboard/${kind}/one/statistics?statistics=${name}`
        expect((await app.request('DELETE', path, options)).status).toBe(403)
      }
    await write(name, 'Größe 7, "rot"', 3)
    const { body } = await app.request(
      'GET',
      `/1.1/leaderboard/entities/${encodeURIComponent('Größe 7, "rot"')}/statistics`,
    )
    expect(body.results).toContainEqual({
      statisticName: name,
      statisticValue: 3,
      version: 0,
      entity: 'Größe 7, "rot"',
    })
  })

  it('are returned as pointers, and with requested fields as class and ACL permit', async () => {
    const owner = await app.makeUser('owner')
    const save = async (fields: object) => (await post('/1.1/classes/Weapon', fields)).body.objectId as string
    const [open, own] = [
      await save({ name: 'sword', secret: 1 }),
      await save({ name: 'bow', ACL: { [owner.id]: { read: true } } }),
    ]
    const { name } = await makeBoard({ memberType: 'Weapon' })
    for (const [id, value] of [
      [open, 2],
      [own, 1],
    ] as const)
      await post(`/1.1/leaderboard/objects/${id}/statistics`, [{ statisticName: name, statisticValue: value }])
    const read = async (options: RequestOptions) => {
      const path = `${BOARDS}/object/${name}/ranks`
      const { body } = await app.request('GET', path, { ...options, query: { selectKeys: 'name' } })
      return body.results.map(({ object }: { object: { __type: string; name?: string } }) => [
        object.__type,
        object.name,
      ])
    }
    expect(await read({})).toEqual([
      ['Object', 'sword'],
      ['Pointer', undefined],
    ])
    expect(await read({ session: owner.session })).toEqual([
      ['Object', 'sword'],
      ['Object', 'bow'],
    ])
    await app.admin('PATCH', '/classes/Weapon', { permissions: { get: 'master' } })
    const closed = await read({})
    expect(closed).toEqual([
      ['Pointer', undefined],
      ['Pointer', undefined],
    ])
    const group = await post(`/1.1/leaderboard/objects/statistics/${name}?selectKeys=name`, {
      ids: [own, open, 'nothing'],
    })
    expect(group.body.results.map(({ object }: { object: { objectId: string } }) => object.objectId)).toEqual([
      own,
      open,
    ])
  })
})

describe('a group', () => {
  it('is ranked within itself', async () => {
    const { name } = await makeBoard({})
    for (let n = 0; n < 10; n++) await write(name, `e${n}`, n)
    const path = `${BOARDS}/entity/${name}/group/ranks`
    const shown = async (suffix: string, ids: string[]) =>
      (await post(`${path}${suffix}`, { ids }, {})).body.results.map(
        ({ rank, entity }: { rank: number; entity: string }) => [rank, entity],
      )
    const ids = ['e1', 'e9', 'nobody', 'e4', 'e6']
    expect(await shown('', ids)).toEqual([
      [0, 'e9'],
      [1, 'e6'],
      [2, 'e4'],
      [3, 'e1'],
    ])
    expect(await shown('?startPosition=1&maxResultsCount=2', ids)).toEqual([
      [1, 'e6'],
      [2, 'e4'],
    ])
    expect(await shown('/e4?maxResultsCount=3', ids)).toEqual([
      [1, 'e6'],
      [2, 'e4'],
      [3, 'e1'],
    ])
    expect(await shown('/e2?maxResultsCount=3', ids)).toEqual([])
    const { body } = await post(`${path}?count=1&limit=0`, { ids }, {})
    expect(body).toEqual({ count: 4, results: [] })
  })
})

describe('scheduled versions', () => {
  it('starts the next version once when the current one ends, even with two nodes', {
    timeout: 60_000,
  }, async () => {
    const { board, name } = await makeBoard({ versionChangeInterval: 'day' })
    await write(name, 'one', 1)
    await app.sql(`UPDATE "$leaderboards" SET expired_at = now() - interval '1 second' WHERE board = $1`, [board])
    // The scheduled job, and duplicates of it.
    await app.sql(
      `INSERT INTO homeport.jobs (kind, payload, run_at)
       SELECT 'leaderboard-version', jsonb_build_object('appId', $1::text, 'board', $2::integer, 'version', 0), now()
       FROM generate_series(1, 8)`,
      [app.appId, board],
    )
    const read = async () => (await app.request('GET', `${BOARDS}/${name}`)).body
    await expect.poll(async () => (await read()).version, { timeout: 60_000 }).toBe(1)
    const jobs = `SELECT count(*)::int AS left FROM homeport.jobs
      WHERE kind = 'leaderboard-version' AND payload @> jsonb_build_object('board', $1::integer, 'appId', $2::text) AND run_at <= now()`
    await expect.poll(async () => (await app.sql(jobs, [board, app.appId])).rows[0].left, { timeout: 60_000 }).toBe(0)
    const { version, expiredAt } = await read()
    expect(version).toBe(1)
    expect(Date.parse(expiredAt.iso)).toBeGreaterThan(Date.now())
    expect(await write(name, 'one', 5)).toEqual({ value: 5, version: 1 })
    const archives = await app.request('GET', `${BOARDS}/${name}/archives`, master)
    expect(archives.body.results).toHaveLength(1)
  })

  it('keeps a version whose interval was changed meanwhile', async () => {
    const { board, name } = await makeBoard({ versionChangeInterval: 'day' })
    await app.request('PUT', `${BOARDS}/${name}`, { ...master, body: { versionChangeInterval: 'never' } })
    await app.sql(
      `INSERT INTO homeport.jobs (kind, payload, run_at) VALUES ('leaderboard-version', jsonb_build_object('appId', $1::text, 'board', $2::integer, 'version', 0), now())`,
      [app.appId, board],
    )
    const left = async () =>
      (
        await app.sql(
          `SELECT count(*)::int AS left FROM homeport.jobs WHERE kind = 'leaderboard-version' AND payload @> jsonb_build_object('board', $1::integer, 'appId', $2::text) AND run_at <= now()`,
          [board, app.appId],
        )
      ).rows[0].left
    await expect.poll(left, { timeout: 60_000 }).toBe(0)
    expect((await app.request('GET', `${BOARDS}/${name}`)).body).toMatchObject({ version: 0, expiredAt: null })
  })
})
