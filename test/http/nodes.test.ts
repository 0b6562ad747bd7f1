import { afterAll, describe, expect, it } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'

const TOKEN = 'token-of-the-administrator-of-two-nodes'
const KEYS = {
  HOMEPORT_APP_ID: 'nodes',
  HOMEPORT_APP_KEY: 'nodes-app-key',
  HOMEPORT_MASTER_KEY: 'nodes-master-key',
  HOMEPORT_ADMIN_TOKEN: TOKEN,
}
const HEADERS = { 'x-lc-id': 'nodes', 'x-lc-key': 'nodes-app-key', 'content-type': 'application/json' }

// Created outside of tests: `afterAll` cannot be called inside one.
const databaseUrl = await newDatabase()
const first = await makeHome(afterAll).start(['--database-url', databaseUrl], KEYS)
const second = await makeHome(afterAll).start(['--database-url', databaseUrl], KEYS)

it('a second node on the same database finds the data of the first', async () => {
  const made = await call(first.url, 'POST', '/1.1/classes/Shared', HEADERS, { n: 1 })
  expect(made.status).toBe(201)
  const path = `/1.1/classes/Shared/${made.body.objectId}`
  expect((await call(second.url, 'GET', path, HEADERS, undefined)).body.n).toBe(1)
  expect((await call(second.url, 'POST', '/1.1/classes/Shared', HEADERS, { n: 'text' })).body.code).toBe(111)
  expect((await call(second.url, 'PUT', path, HEADERS, { n: { __op: 'Increment', amount: 2 } })).status).toBe(200)
  expect((await call(first.url, 'GET', path, HEADERS, undefined)).body.n).toBe(3)
})

it('a class just created and closed on the first node is closed on the second', async () => {
  const administrator = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  for (const [className, body] of [
    ['Closed', {}],
    ['ClosedToo', { n: 1 }],
  ] as const) {
    const permissions = { create: 'master' }
    const closed = await call(first.url, 'PATCH', `/admin/apps/nodes/classes/${className}`, administrator, {
      permissions,
    })
    expect(closed.status).toBe(200)
    const path = `/1.1/classes/${className}`
    const requests = [{ method: 'POST', path, body }]
    const [refused, batch] = await Promise.all([
      call(second.url, 'POST', path, HEADERS, body),
      call(second.url, 'POST', '/1.1/batch', HEADERS, { requests }),
    ])
    expect({ status: refused.status, body: refused.body }).toMatchObject({ status: 403, body: { code: 403 } })
    expect(batch.body).toMatchObject([{ error: { code: 403 } }])
  }
})

const administrator = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
const admin = async (method: string, path: string, body?: unknown) => {
  const reply = await call(first.url, method, path, administrator, body)
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
  return reply.body
}

const ROUNDS = 10

/**
 * Maximum requests until half of the changes apply. A node that is not notified polls every three seconds, which are hundreds of
 * requests. A count of requests holds on a busy machine, unlike a time.
 */
const MAX_REQUESTS = 8

describe('changes on the first node apply on the second at once', () => {
  /** Returns the number of requests until the response is the expected one. */
  const until = async (request: () => Promise<unknown>, response: unknown): Promise<number> => {
    let count = 0
    const counted = () => {
      count++
      return request()
    }
    await expect.poll(counted, { interval: 5, timeout: 60_000 }).toEqual(response)
    return count
  }
  const expectNotified = (counts: readonly number[]): void => {
    const median = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)]
    expect(median).toBeLessThanOrEqual(MAX_REQUESTS)
  }

  it('settings', async () => {
    const counts: number[] = []
    const { body } = await call(second.url, 'POST', '/1.1/classes/Acl', HEADERS, { ACL: { '*': { read: true } } })
    for (let round = 0; round < ROUNDS; round++) {
      const on = round % 2 === 0
      await admin('PATCH', '/admin/apps/nodes/settings', { storage: { returnAclInQueries: on } })
      const path = `/1.1/classes/Acl?returnACL=true&where=${encodeURIComponent(JSON.stringify({ objectId: body.objectId }))}`
      counts.push(
        await until(async () => 'ACL' in (await call(second.url, 'GET', path, HEADERS, undefined)).body.results[0], on),
      )
    }
    expectNotified(counts)
  })

  it('permissions, and new fields', async () => {
    const counts: number[] = []
    const { body } = await call(second.url, 'POST', '/1.1/classes/Permitted', HEADERS, { n: 1 })
    const path = `/1.1/classes/Permitted/${body.objectId}`
    for (let round = 0; round < ROUNDS; round++) {
      const closed = round % 2 === 0
      await admin('PATCH', '/admin/apps/nodes/classes/Permitted', {
        permissions: { get: closed ? 'master' : 'public' },
      })
      counts.push(
        await until(async () => (await call(second.url, 'GET', path, HEADERS, undefined)).status, closed ? 403 : 200),
      )
    }
    expectNotified(counts)
  })

  it('a deleted class is unknown', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const path = '/1.1/classes/Dropped'
      const made = await call(second.url, 'POST', path, HEADERS, { n: round % 2 === 0 ? 1 : 'text' })
      expect({ status: made.status, body: made.body }).toMatchObject({ status: 201 })
      await admin('DELETE', '/admin/apps/nodes/classes/Dropped')
      const answers = await Promise.all([
        call(second.url, 'GET', path, HEADERS, undefined),
        call(second.url, 'GET', `${path}?count=1&limit=0`, HEADERS, undefined),
        call(second.url, 'GET', `${path}/${made.body.objectId}`, HEADERS, undefined),
        call(second.url, 'PUT', `${path}/${made.body.objectId}`, HEADERS, { n: 3 }),
        call(second.url, 'DELETE', `${path}/${made.body.objectId}`, HEADERS, undefined),
      ])
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
        [404, 101],
        [404, 101],
        [404, 101],
        [400, 1],
        [200, undefined],
      ])
    }
  })

  it('apps, their keys, and their deletion', async () => {
    const counts: number[] = []
    for (let round = 0; round < ROUNDS / 2; round++) {
      const made = await admin('POST', '/admin/apps', { name: 'short' })
      const ask = async ({ appId, appKey }: { appId: string; appKey: string }) =>
        (
          await call(
            second.url,
            'GET',
            '/1.1/users/5f0000000000000000000001',
            { 'x-lc-id': appId, 'x-lc-key': appKey },
            undefined,
          )
        ).status
      counts.push(await until(() => ask(made), 400))
      const rotated = await admin('PATCH', `/admin/apps/${made.appId}`, { rotateKeys: true })
      counts.push(await until(() => ask(made), 401))
      counts.push(await until(() => ask(rotated), 400))
      await admin('DELETE', `/admin/apps/${made.appId}`)
      counts.push(await until(() => ask(rotated), 401))
    }
    expectNotified(counts)
  })
})
