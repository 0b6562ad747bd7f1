import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeSdkApp, save, stored } from '../support/sdk.ts'

const app = await makeSdkApp()
const ID = expect.stringMatching(/^[0-9a-f]{24}$/)

/** The result of the SDK; its type declarations differ. */
interface Answer {
  readonly results: readonly AV.Object[]
  readonly className: string
}

const run = async (cql: string, values: readonly unknown[] = []) =>
  (await AV.Query.doCloudQuery(cql, values as never)) as unknown as Answer
const insert = async (cql: string, values: readonly unknown[] = []): Promise<AV.Object> =>
  (await run(cql, values)).results[0]!
const count = (className: string) => new AV.Query(className).count()
const fieldsOf = async (object: AV.Object) => (await stored(object)).toJSON()

describe('insert', () => {
  it('returns the new object', async () => {
    const { results, className } = await run("insert into Player(name, age) values('LeanCloud', 2)")
    expect(className).toBe('Player')
    expect(results).toHaveLength(1)
    const [player] = results
    expect(player).toBeInstanceOf(AV.Object)
    expect([player!.className, player!.id, player!.createdAt]).toEqual(['Player', ID, expect.any(Date)])
    expect(await fieldsOf(player!)).toMatchObject({ name: 'LeanCloud', age: 2 })
    player!.set('age', 3)
    await player!.save()
    expect(await fieldsOf(player!)).toMatchObject({ name: 'LeanCloud', age: 3 })
  })

  it('stores values of every type', async () => {
    const author = await save('Author', { name: 'ann' })
    const file = await AV.File.withURL('a.txt', 'https://example.com/a.txt').save()
    const object = await insert(
      `insert into Typed(text, number, flag, list, map, at, now, author, other, place, cover, bytes, nothing) values(
        'it''s', -1.5, true, [1, ['a']], {a: 1, 'b c': {d: [2]}}, date('2026-01-05T00:00:00.000Z'), current_timestamp(),
        pointer('Author', ?), {className:'Author', objectId: ?, __type:'Pointer'}, geopoint(116.4, 39.9), file(?),
        base64('aGk='), null)`,
      [author.id, author.id, file.id],
    )
    const { body } = await app.request('GET', `/1.1/classes/Typed/${object.id}`)
    const pointer = { __type: 'Pointer', className: 'Author', objectId: author.id }
    expect(body).toMatchObject({
      text: "it's",
      number: -1.5,
      flag: true,
      list: [1, ['a']],
      map: { a: 1, 'b c': { d: [2] } },
      at: { __type: 'Date', iso: '2026-01-05T00:00:00.000Z' },
      now: { __type: 'Date' },
      author: pointer,
      other: pointer,
      place: { __type: 'GeoPoint', longitude: 116.4, latitude: 39.9 },
      cover: { __type: 'File', id: file.id, url: 'https://example.com/a.txt' },
      bytes: { __type: 'Bytes', base64: 'aGk=' },
    })
    expect(body.nothing ?? null).toBeNull()
  })

  it('accepts a Date value for a field of Dates', async () => {
    const at = new Date(1_767_571_200_000)
    await save('Dated', { at })
    const object = await insert('insert into Dated(at) values(?)', [at])
    expect((await stored(object)).get('at')).toEqual(at)
    await run('update Dated set at = ? where objectId = ? and at = ?', [new Date(5), object.id, at])
    expect((await stored(object)).get('at')).toEqual(new Date(5))
  })

  it('of several rows returns the new objects in order', async () => {
    const { results } = await run("insert into Row(name, n) values ('a', 1), ('b', ?), ('c', 3)", [2])
    expect(results.map((row) => [row.className, row.id, row.createdAt])).toEqual(
      Array(3).fill(['Row', ID, expect.any(Date)]),
    )
    const rows = await Promise.all(results.map((row) => stored(row)))
    expect(rows.map((row) => [row.get('name'), row.get('n')])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ])
  })

  it('accepts operations, as creating an object does', async () => {
    const friend = await save('Friend', {})
    const object = await insert(
      `insert into Made(tags, n, friends) values(
        op('AddUnique', {objects: [1, 1, 2]}), op('Increment', {amount: 5}), op('AddRelation', {objects: [?]}))`,
      [{ __type: 'Pointer', className: 'Friend', objectId: friend.id }],
    )
    expect(await fieldsOf(object)).toMatchObject({ tags: [1, 2], n: 5 })
    expect(await object.relation('friends').query().count()).toBe(1)
  })

  it.each([
    ["insert into Kept(n) values (1), ('a')", 111],
    ['insert into Kept(n) values (1), (2, 3)', 300],
    ['insert into Kept(n) values (1), (op("Nothing", {}))', 1],
    ['insert into Kept(n, ACL) values (1, {}), (2, 3)', 123],
    ['insert into Kept(n.a) values (1), (2)', 105],
    ["insert into Kept(text) values ('a'), (?)", 111],
  ])('%s stores nothing', async (cql, code) => {
    await save('Kept', { n: 0 }).then((object) => object.destroy())
    await expect(run(cql, [5])).rejects.toMatchObject({ code })
    expect(await count('Kept')).toBe(0)
  })

  it('stores nothing when the database rejects a row', async () => {
    await (await save('Code', { code: 'taken' })).fetch()
    await app.admin('PATCH', '/classes/Code', { indexes: [{ fields: ['code'], unique: true }] })
    await expect(run("insert into Code(code) values ('free'), ('taken')")).rejects.toMatchObject({ code: 137 })
    await expect(run("insert into Code(code) values ('new'), ('new')")).rejects.toMatchObject({ code: 137 })
    expect(await count('Code')).toBe(1)
    expect((await run("insert into Code(code) values ('free'), ('new')")).results).toHaveLength(2)
  })
})

describe('update', () => {
  it('returns the object with its update time', async () => {
    const score = await save('GameScore', { score: 1, name: 'a', other: true })
    const { results, className } = await run("update GameScore set score=90, name='leancloud' where objectId=?", [
      score.id,
    ])
    expect(className).toBe('GameScore')
    expect(results.map((object) => [object.className, object.id])).toEqual([['GameScore', score.id]])
    const now = await stored(score)
    expect(now.toJSON()).toMatchObject({ score: 90, name: 'leancloud', other: true })
    expect(results[0]!.updatedAt).toEqual(now.updatedAt)
  })

  it('applies operations', async () => {
    const user = await app.makeUser('liked')
    const account = await save('Account', { amount: 100, tags: [1], gone: 1, flags: 6, a: { b: 1 } })
    await run(
      `update Account set amount = op('Decrement', {'amount': 50}), tags = op('Add', {objects: [2, {a: ?}]}),
        gone = op('Delete'), flags = op('BitAnd', {value: 3}), a.b = 2,
        fans = op('AddRelation', {'objects': [pointer('_User', ?)]})
        where objectId = ?`,
      [3, user.id, account.id],
    )
    const fields = await fieldsOf(account)
    expect(fields).toMatchObject({ amount: 50, tags: [1, 2, { a: 3 }], flags: 2, a: { b: 2 } })
    expect(fields).not.toHaveProperty('gone')
    expect(await new AV.Relation(account, 'fans').query().count({ useMasterKey: true })).toBe(1)
  })

  it('applies only when further conditions hold', async () => {
    const account = await save('Account', { amount: 120 })
    const withdraw = () =>
      run("update Account set amount = op('Decrement', {amount: 50}) where objectId = ? and amount >= 50", [account.id])
    await withdraw()
    await withdraw()
    await expect(withdraw()).rejects.toMatchObject({ code: 305 })
    expect(await fieldsOf(account)).toMatchObject({ amount: 20 })
    await expect(run('update Account set amount = 0 where objectId = ? and objectId = ?', [account.id, 'x']))
      .rejects //
      .toMatchObject({ code: 305 })
  })

  it('changes nothing unless it selects one object', async () => {
    const account = await save('Account', { amount: 7 })
    for (const cql of ['update Account set amount = 0', 'update Account set amount = 0 where amount = 7'])
      await expect(run(cql)).rejects.toMatchObject({ code: 300 })
    expect(await fieldsOf(account)).toMatchObject({ amount: 7 })
  })

  it.each([
    ["update Account set amount = 'a' where objectId = ?", 111],
    ['update Account set amount = op("Sum", {}) where objectId = ?', 1],
    ["update Account set amount = 1 where objectId = 'x'", 1],
    ["update Nowhere set amount = 1 where objectId = 'x'", 1],
    ["update Account set amount = 1 where objectId = 'x' and amount = 1", 305],
    ["update Account set a-b = 1 where objectId = 'x'", 300],
    ['update Account set a = 1 where objectId = ? and a > pointer("A", "b")', 102],
  ])('rejects %s', async (cql, code) => {
    const account = await save('Account', { amount: 1 })
    await expect(run(cql, [account.id])).rejects.toMatchObject({ code })
  })
})

describe('delete', () => {
  it('returns no objects', async () => {
    const object = await save('Doomed', { n: 1 })
    expect(await run('delete from Doomed where objectId = ?', [object.id])).toEqual({
      results: [],
      className: 'Doomed',
      count: undefined,
    })
    expect(await count('Doomed')).toBe(0)
  })

  it('applies only when further conditions hold', async () => {
    const object = await save('Doomed', { n: 1 })
    await expect(run('delete from Doomed where objectId = ? and n > 1', [object.id])).rejects.toMatchObject({
      code: 305,
    })
    expect(await count('Doomed')).toBe(1)
    await run('delete from Doomed where objectId = ? and (n > 1 or n = 1)', [object.id])
    expect(await count('Doomed')).toBe(0)
  })

  it('deletes nothing unless it selects one object', async () => {
    const object = await save('Doomed', { n: 2 })
    for (const condition of ['', ' where n = 2', ` where objectId = '${object.id}' or n = 2`, " where objectId != 'x'"])
      await expect(run(`delete from Doomed${condition}`)).rejects.toMatchObject({ code: 300 })
    await expect(run(`delete from Doomed where objectId = '${object.id},x'`)).rejects.toMatchObject({ code: 104 })
    expect(await count('Doomed')).toBe(1)
  })
})
