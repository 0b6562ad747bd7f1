import { describe, expect, it, vi } from 'vitest'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { call } from '../support/app.ts'
import { listen, loadLiveSdk } from '../support/live-query.ts'
import type { Program } from '../support/program.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'
import { links, twoNodes } from '../support/two-nodes.ts'

const APP_ID = 'listening'
const APP_KEY = 'listening-key'
const KEYS = { HOMEPORT_APP_ID: APP_ID, HOMEPORT_APP_KEY: APP_KEY, HOMEPORT_MASTER_KEY: 'listening-master-key' }
const HEADERS = { 'x-lc-id': APP_ID, 'x-lc-key': APP_KEY, 'content-type': 'application/json' }

async function post(node: Program, path: string, body: object) {
  const reply = await call(node.url, 'POST', path, HEADERS, body)
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
  return reply.body
}
const save = async (node: Program, className: string, fields: object): Promise<string> =>
  (await post(node, `/1.1/classes/${className}`, fields)).objectId

async function logIn(node: Program, installationId: string): Promise<RawConnection> {
  const connection = await connect({ url: node.url, appId: APP_ID })
  const answer = await connection.request({ cmd: 'login', appId: APP_ID, installationId, service: 1 })
  expect(answer).toMatchObject({ cmd: 'loggedin', service: 1, installationId })
  return connection
}
const subscribe = (node: Program, id: string, className: string, where: object = {}): Promise<{ query_id: string }> =>
  post(node, '/1.1/LiveQuery/subscribe', { id, query: { className, where } })

const isData = ({ cmd }: GenericCommand) => cmd === 'data'
const eventsOf = ({ received }: RawConnection) =>
  received.filter(isData).flatMap(({ dataMessage }) => dataMessage!.msg!.map(({ data }) => JSON.parse(data)))
const numbersOf = (connection: RawConnection) => eventsOf(connection).map(({ object }) => object.n)

/** Saves objects on a node until the connection receives an event: other nodes learn of a subscription with a delay. */
const heardFrom = (node: Program, className: string, connection: RawConnection, fields: object = {}) =>
  vi.waitFor(
    async () => {
      await save(node, className, { ...fields, n: 'probe' })
      expect(numbersOf(connection)).toContain('probe')
    },
    { timeout: 60_000, interval: 50 },
  )

describe.each(await links())('live queries on two nodes with $name', { timeout: 90_000 }, (link) => {
  const nodes = twoNodes(link, KEYS)

  it('the official client receives on one node the writes of both, in the order of each', async () => {
    vi.spyOn(console, 'warn').mockReturnValue(undefined)
    const [here, there] = [nodes.first, nodes.second].map(({ url }) =>
      loadLiveSdk({ appId: APP_ID, appKey: APP_KEY, url }),
    )
    const subscriptions = await Promise.all([here!, there!].map((sdk) => new sdk.Query('News').subscribe()))
    const heard = subscriptions.map(listen)
    // Each connection must receive events of both nodes.
    const probe = async () => {
      await save(nodes.first, 'News', { n: 'probe of the first' })
      await save(nodes.second, 'News', { n: 'probe of the second' })
      for (const those of heard)
        expect(those.map(({ fields }) => fields.n)).toEqual(
          expect.arrayContaining(['probe of the first', 'probe of the second']),
        )
    }
    await vi.waitFor(probe, { timeout: 60_000, interval: 50 })
    const text = '早'.repeat(5000)
    const ids = await Promise.all([nodes.first, nodes.second].map((node) => save(node, 'News', { text })))
    for (let n = 1; n <= 10; n++)
      for (const [index, node] of [nodes.first, nodes.second].entries())
        await call(node.url, 'PUT', `/1.1/classes/News/${ids[index]}`, HEADERS, { n: `${n}` })
    for (const those of heard) {
      const of = (id: string) => those.filter((one) => one.id === id)
      for (const id of ids) await vi.waitFor(() => expect(of(id)).toHaveLength(11), { timeout: 60_000 })
      for (const id of ids) {
        expect(of(id).map(({ fields }) => fields.n)).toEqual([undefined, ...'1 2 3 4 5 6 7 8 9 10'.split(' ')])
        expect(of(id).every(({ fields }) => fields.text === text)).toBe(true)
      }
    }
    await Promise.all(subscriptions.map((one) => one.unsubscribe()))
  })

  it('a subscriber that logs in on another node is notified there, once, and no longer on the old one', async () => {
    const old = await logIn(nodes.first, 'wanders')
    await subscribe(nodes.first, 'wanders', 'Path')
    await heardFrom(nodes.second, 'Path', old)
    const fresh = await logIn(nodes.second, 'wanders')
    await heardFrom(nodes.first, 'Path', fresh)
    const before = numbersOf(old).length
    for (const node of [nodes.first, nodes.second]) await save(node, 'Path', { n: 'after' })
    await expect.poll(() => numbersOf(fresh).filter((n) => n === 'after')).toHaveLength(2)
    expect(numbersOf(old).slice(before)).not.toContain('after')
  })

  it('a subscriber that does not name its app is found on either node, before and after it subscribed', async () => {
    const connection = await connect({ url: nodes.second.url, appId: APP_ID })
    const login = { cmd: 'login', installationId: 'nameless', service: 1 } as const
    expect(await connection.request(login)).toMatchObject({ cmd: 'loggedin', service: 1 })
    await subscribe(nodes.first, 'nameless', 'Nameless')
    await heardFrom(nodes.first, 'Nameless', connection)
    connection.drop()
    const again = await connect({ url: nodes.second.url, appId: APP_ID })
    expect(await again.request(login)).toMatchObject({ cmd: 'loggedin', service: 1 })
    await heardFrom(nodes.first, 'Nameless', again)
  })

  it('revoking a session on one node ends its subscriptions on the other', async () => {
    const name = `member of ${link.name}`
    const user = await post(nodes.first, '/1.1/users', { username: name, password: 'a password' })
    const connection = await logIn(nodes.second, name)
    const witness = await logIn(nodes.second, `witness of ${name}`)
    const session = { 'x-lc-session': user.sessionToken }
    const body = { id: name, query: { className: 'Club' } }
    await call(nodes.second.url, 'POST', '/1.1/LiveQuery/subscribe', { ...HEADERS, ...session }, body)
    await subscribe(nodes.first, `witness of ${name}`, 'Club')
    for (const node of [nodes.first, nodes.second]) await heardFrom(node, 'Club', connection)
    const refresh = `/1.1/users/${user.objectId}/refreshSessionToken`
    const ended = await call(nodes.first.url, 'PUT', refresh, { ...HEADERS, ...session }, undefined)
    expect(ended.status).toBe(200)
    // The other node learns of the end with a delay, and can send events of its own writes until then.
    await expect
      .poll(
        async () => {
          await save(nodes.second, 'Club', { n: 'meanwhile' })
          const before = eventsOf(connection).length
          await save(nodes.second, 'Club', { n: 'last' })
          await expect.poll(() => numbersOf(witness).at(-1)).toBe('last')
          return eventsOf(connection).length - before
        },
        { timeout: 60_000 },
      )
      .toBe(0)
    const before = eventsOf(connection).length
    for (const node of [nodes.first, nodes.second]) {
      await save(node, 'Club', { n: 'after' })
      await expect.poll(() => numbersOf(witness).at(-1)).toBe('after')
      await save(node, 'Club', { n: 'behind' })
      await expect.poll(() => numbersOf(witness).at(-1)).toBe('behind')
    }
    expect(eventsOf(connection)).toHaveLength(before)
  })

  it('an ended subscription gets no notifications on any node', async () => {
    const connection = await logIn(nodes.second, 'leaves')
    const { query_id } = await subscribe(nodes.second, 'leaves', 'Left')
    const kept = await subscribe(nodes.first, 'leaves', 'Left', { n: 'probe' })
    await heardFrom(nodes.first, 'Left', connection)
    await post(nodes.first, '/1.1/LiveQuery/unsubscribe', { id: 'leaves', query_id })
    const last = () => eventsOf(connection).slice(-1)
    for (const node of [nodes.second, nodes.first])
      await vi.waitFor(
        async () => {
          const id = await save(node, 'Left', { n: 'probe' })
          await expect.poll(() => last()[0].object.objectId, { timeout: 3000 }).toBe(id)
          expect(connection.received.findLast(isData)!.dataMessage!.ids).toHaveLength(1)
          expect(last()[0].query_id).toBe(kept.query_id)
        },
        { timeout: 60_000, interval: 50 },
      )
  })

  if (link.usesRedis)
    it('subscriptions made without Redis are known to all nodes when it returns', async () => {
      const connection = await logIn(nodes.second, 'patient')
      await nodes.redis.kill()
      await subscribe(nodes.second, 'patient', 'Patience')
      await nodes.redis.start()
      await heardFrom(nodes.first, 'Patience', connection)
    })

  it('subscriptions continue for a client that logs in again after a crash, on any node', async () => {
    const before = await logIn(nodes.second, 'survives')
    const { query_id } = await subscribe(nodes.second, 'survives', 'Life', { kind: 'cat' })
    await heardFrom(nodes.second, 'Life', before, { kind: 'cat' })
    await nodes.replaceSecond()
    for (const node of [nodes.first, nodes.second]) {
      const again = await logIn(node, 'survives')
      await heardFrom(nodes.first, 'Life', again, { kind: 'cat' })
      await heardFrom(nodes.second, 'Life', again, { kind: 'cat' })
      expect(new Set(eventsOf(again).map((event) => event.query_id))).toEqual(new Set([query_id]))
    }
  })

  it('nodes with subscribers stop at once and cleanly', async () => {
    const connection = await logIn(nodes.second, 'still there')
    await subscribe(nodes.second, 'still there', 'End')
    const before = nodes.second.output().length
    const begun = performance.now()
    expect(await nodes.second.stop()).toBe(0)
    // Connections left open would delay the stop for longer.
    expect(performance.now() - begun).toBeLessThan(9500)
    expect((await connection.closed)[0]).toBe(1000)
    expect(nodes.second.output().slice(before)).not.toMatch(/"level":"(warn|error|fatal)"/)
  })
})
