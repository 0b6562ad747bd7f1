import { describe, expect, it } from 'vitest'
import { makeApp, type RequestOptions } from '../support/app.ts'

const app = await makeApp()
const run = (cql: string, options: RequestOptions = {}) =>
  app.request('GET', '/1.1/cloudQuery', { ...options, query: { cql, ...options.query } })
const logIn = (username: string, password: string) =>
  app.request('POST', '/1.1/login', { body: { username, password } })
const refusal = (code: number, status = 400) => ({ status, body: { code, error: expect.any(String) } })
const ID = expect.stringMatching(/^[0-9a-f]{24}$/)

describe('_User', () => {
  it('inserts follow the sign-up rules', async () => {
    const { status, body } = await run("insert into _User(username, password, age) values('ann', 'secret', 5)")
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        className: '_User',
        results: [expect.objectContaining({ objectId: ID, username: 'ann', sessionToken: expect.any(String) })],
      },
    })
    expect(body.results[0]).not.toHaveProperty('password')
    const { rows } = await app.sql('SELECT data::text FROM "_User" WHERE id = $1', [body.results[0].objectId])
    expect(rows[0].data).not.toContain('secret')
    expect(await logIn('ann', 'secret')).toMatchObject({ status: 200, body: { age: 5 } })
  })

  it.each([
    ["insert into _User(username) values('bob')", 201],
    ["insert into _User(password) values('bob')", 200],
    ["insert into _User(username, password) values('taken', 'x')", 202],
    ["insert into _User(username, password, email) values('bob', 'x', 'nowhere')", 125],
    ["insert into _User(username, password) values('bob', 'x'), ('bill', 'y')", 300],
  ])('rejects %s', async (cql, code) => {
    await app.makeUser('taken')
    expect(await run(cql)).toMatchObject(refusal(code))
  })

  it('can be changed only by the user itself', async () => {
    const user = await app.makeUser('changed')
    const other = await app.makeUser('other')
    const cql = `update _User set password = 'new', age = 6 where objectId = '${user.id}'`
    expect(await run(cql)).toMatchObject(refusal(206, 403))
    expect(await run(cql, { session: other.session })).toMatchObject(refusal(206, 403))
    expect((await run(`delete from _User where objectId = '${user.id}'`)).status).toBe(403)
    expect(await logIn('changed', 'new')).toMatchObject(refusal(210))
    const { body } = await run(cql, { session: user.session })
    expect(body.results).toEqual([{ objectId: user.id, updatedAt: expect.any(String) }])
    expect(await logIn('changed', 'new')).toMatchObject({ status: 200, body: { age: 6 } })
    const { session } = user
    const conditional = `update _User set age = 7 where objectId = '${user.id}' and age = 5`
    expect(await run(conditional, { session })).toMatchObject(refusal(305))
    expect((await run(`delete from _User where objectId = '${user.id}'`, { session })).status).toBe(200)
    expect(await logIn('changed', 'new')).toMatchObject({ status: 400 })
  })
})

it('_Role keeps its rules', async () => {
  const { body } = await run(`insert into _Role(name, ACL) values('admin', {"*": {read: true, write: true}})`)
  const id: string = body.results[0].objectId
  expect(await run("insert into _Role(name) values('two words')")).toMatchObject(refusal(139))
  expect(await run(`update _Role set name = 'other' where objectId = '${id}'`)).toMatchObject(refusal(136))
  const user = await app.makeUser('member')
  const add = `update _Role set users = op('AddRelation', {objects: [pointer('_User', '${user.id}')]})`
  expect((await run(`${add} where objectId = '${id}'`)).status).toBe(200)
  const acl = '{"role:admin": {read: true}}'
  const made = await run(`insert into Secret(n, ACL) values(1, ${acl})`)
  const path = `/1.1/classes/Secret/${made.body.results[0].objectId}`
  expect(await app.request('GET', path, { session: user.session })).toMatchObject({ status: 200, body: { n: 1 } })
  expect(await app.request('GET', path)).toMatchObject({ status: 403 })
})

it('_File keeps its rules', async () => {
  const { body } = await run("insert into files(name, url) values('a.txt', 'https://example.com/a.txt')")
  expect(body).toMatchObject({ className: '_File', results: [{ objectId: ID }] })
  const id: string = body.results[0].objectId
  const update = await run(`update _File set name = 'b.txt' where objectId = '${id}'`)
  expect(update).toMatchObject({
    status: (await app.request('PUT', `/1.1/classes/_File/${id}`, { body: { name: 'b.txt' } })).status,
    body: { code: expect.any(Number) },
  })
  expect((await run('select * from _File')).body.results).toMatchObject([{ name: 'a.txt' }])
})

it('_Installation keeps one record per device', async () => {
  const insert = "insert into _Installation(deviceType, installationId) values('android', 'device-1')"
  const first = (await run(insert)).body.results[0].objectId
  expect((await run(insert)).body.results).toEqual([expect.objectContaining({ objectId: first })])
  const wrong = "insert into _Installation(deviceType, channels) values('android', ['no channel'])"
  expect(await run(wrong)).toMatchObject(refusal(112))
})

it('rejects invalid class names', async () => {
  expect(await run('insert into _Nothing(a) values(1)')).toMatchObject(refusal(103))
  expect(await run('insert into _Nothing(a) values(1), (2)')).toMatchObject(refusal(103))
})
