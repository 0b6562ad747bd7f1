import { afterAll, describe, expect, it, vi } from 'vitest'
import { call, type Reply } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import type { Program } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'

const ENVIRONMENT = {
  HOMEPORT_APP_ID: 'nodes',
  HOMEPORT_APP_KEY: 'nodes-app-key',
  HOMEPORT_MASTER_KEY: 'nodes-master-key',
  HOMEPORT_ADMIN_TOKEN: 'token-of-the-administrator-of-nodes',
}
const HEADERS = { 'x-lc-id': 'nodes', 'x-lc-key': 'nodes-app-key', 'content-type': 'application/json' }

/** The time a node caches a token without notifications, in milliseconds. */
const TRUST = 10_000

// Created outside of tests: `afterAll` cannot be called inside one.
const databaseUrl = await newDatabase()
const first = await makeHome(afterAll).start(['--database-url', databaseUrl], ENVIRONMENT)
const second = await makeHome(afterAll).start(['--database-url', databaseUrl], ENVIRONMENT)
const nodes = [first, second]

const signUp = async (username: string) => {
  const body = { username, password: `password of ${username}` }
  const { body: user } = await call(first.url, 'POST', '/1.1/users', HEADERS, body)
  return { id: user.objectId as string, session: user.sessionToken as string }
}
const logIn = (node: Program, username: string, password = `password of ${username}`) =>
  call(node.url, 'POST', '/1.1/login', HEADERS, { username, password })
const withSession = (session: string) => ({ ...HEADERS, 'x-lc-session': session })
const me = (node: Program, session: string) => call(node.url, 'GET', '/1.1/users/me', withSession(session), undefined)
const codeOf = ({ status, body }: Reply) => (status === 200 ? 200 : (body.code as number))

const administrator = {
  authorization: `Bearer ${ENVIRONMENT.HOMEPORT_ADMIN_TOKEN}`,
  'content-type': 'application/json',
}
await call(first.url, 'PATCH', '/admin/apps/nodes/settings', administrator, {
  accounts: { reloginAfterPasswordChange: true },
})

describe('a session token revoked on one node is rejected by the other before its cache expires', () => {
  const endings: [string, (id: string, session: string, username: string) => Promise<Reply>][] = [
    [
      'refreshed',
      (id, session) => call(first.url, 'PUT', `/1.1/users/${id}/refreshSessionToken`, withSession(session), undefined),
    ],
    [
      'ended with the password',
      (id, session, username) => {
        const body = { old_password: `password of ${username}`, new_password: 'another' }
        return call(first.url, 'PUT', `/1.1/users/${id}/updatePassword`, withSession(session), body)
      },
    ],
    [
      'deleted with its user',
      (id, session) => call(first.url, 'DELETE', `/1.1/users/${id}`, withSession(session), undefined),
    ],
  ]

  it.each(endings)('%s', async (username, end) => {
    const { id, session } = await signUp(username)
    const write = (node: Program) =>
      call(node.url, 'POST', '/1.1/classes/Note', withSession(session), { ACL: { [id]: { read: true } } })
    // The second node has not cached the token before.
    const remembered = performance.now()
    const note = (await write(second)).body.objectId
    const read = () => call(second.url, 'GET', `/1.1/classes/Note/${note}`, withSession(session), undefined)
    for (const node of nodes) expect((await me(node, session)).status).toBe(200)
    expect((await read()).status).toBe(200)
    expect((await end(id, session, username)).status).toBe(200)
    expect((await me(first, session)).body.code).toBe(211)
    await vi.waitFor(async () => expect((await read()).status).toBe(403), { timeout: 2 * TRUST, interval: 20 })
    // The cache had not expired, so the node was notified.
    expect(performance.now() - remembered).toBeLessThan(TRUST)
    expect((await me(second, session)).body.code).toBe(211)
    const update = await call(second.url, 'PUT', `/1.1/users/${id}`, withSession(session), { nick: 'x' })
    expect([update.status, update.body.code]).toEqual([403, 206])
  })
})

describe('failed logins', () => {
  it('on two nodes are counted together', async () => {
    await signUp('both')
    const codes: number[] = []
    for (let time = 0; time < 7; time++) codes.push(codeOf(await logIn(nodes[time % 2]!, 'both', 'wrong')))
    expect(codes).toEqual([210, 210, 210, 210, 210, 210, 219])
    for (const node of nodes) expect(codeOf(await logIn(node, 'both'))).toBe(219)
  })

  it('concurrently on two nodes are six, then a lock', async () => {
    await signUp('stormed')
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => logIn(nodes[index % 2]!, 'stormed', 'wrong')),
    )
    const codes = replies.map(codeOf)
    expect([codes.filter((code) => code === 210).length, codes.filter((code) => code === 219).length]).toEqual([6, 44])
    for (const node of nodes) expect(codeOf(await logIn(node, 'stormed'))).toBe(219)
  })
})

describe('concurrently on two nodes', () => {
  it('one of many sign-ups with the same name succeeds', async () => {
    const body = { username: 'wanted', password: 'p' }
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => call(nodes[index % 2]!.url, 'POST', '/1.1/users', HEADERS, body)),
    )
    expect(replies.map((reply) => reply.body.code ?? reply.status).toSorted()).toEqual([201, ...Array(19).fill(202)])
  })

  it('many first logins with one third-party account create one user', async () => {
    const body = { authData: { github: { uid: 'wanted', access_token: 'x' } } }
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => call(nodes[index % 2]!.url, 'POST', '/1.1/users', HEADERS, body)),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201])
    expect(new Set(replies.map((reply) => `${reply.body.objectId} ${reply.body.sessionToken}`)).size).toBe(1)
  })
})
