import { describe, expect, it } from 'vitest'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { call } from '../support/app.ts'
import type { Program } from '../support/program.ts'
import { connect } from '../support/raw-connection.ts'
import { links, twoNodes } from '../support/two-nodes.ts'

const APP_ID = 'pushing'
const KEYS = { HOMEPORT_APP_ID: APP_ID, HOMEPORT_APP_KEY: 'pushing-key', HOMEPORT_MASTER_KEY: 'pushing-master-key' }
const HEADERS = { 'x-lc-id': APP_ID, 'x-lc-key': 'pushing-master-key,master', 'content-type': 'application/json' }

const isData = ({ cmd }: GenericCommand) => cmd === 'data'

async function logIn(node: Program, installationId: string) {
  const connection = await connect({ url: node.url, appId: APP_ID })
  connection.send({ cmd: 'login', appId: APP_ID, installationId })
  await connection.take(({ cmd }) => cmd === 'loggedin')
  return connection
}

async function push(node: Program, device_ids: string[], data: object): Promise<string> {
  const body = { device_type: 'android', device_ids, data }
  const reply = await call(node.url, 'POST', '/1.1/push/devices', HEADERS, body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body.objectId
}

describe.each(await links())('two nodes with $name', { timeout: 60_000 }, (link) => {
  const nodes = twoNodes(link, KEYS)

  it('a push created on one reaches devices on both', async () => {
    const [here, there] = [await logIn(nodes.first, 'here'), await logIn(nodes.second, 'there')]
    for (const node of [nodes.first, nodes.second]) {
      const id = await push(node, ['here', 'there', 'away'], { alert: '早'.repeat(500) })
      for (const connection of [here, there]) expect((await connection.take(isData)).dataMessage!.ids).toEqual([id])
    }
  })

  it('an installation that logs in on one closes its connection on the other', async () => {
    const old = await logIn(nodes.first, 'wanders')
    const fresh = await logIn(nodes.second, 'wanders')
    expect(await old.take(({ cmd }) => cmd === 'error')).toMatchObject({ errorMessage: { code: 4101 } })
    expect(await old.closed).toEqual([4101, 'DUPLICATED_LOGIN'])
    const back = await logIn(nodes.first, 'wanders')
    expect(await fresh.closed).toEqual([4101, 'DUPLICATED_LOGIN'])
    const id = await push(nodes.second, ['wanders'], { alert: 'follow' })
    expect((await back.take(isData)).dataMessage!.ids).toEqual([id])
  })

  it('of many concurrent logins of an installation one remains', async () => {
    const each = Array.from({ length: 3 }, () => [nodes.first, nodes.second]).flat()
    const connections = await Promise.all(each.map((node) => logIn(node, 'everywhere')))
    const open = new Set(connections)
    for (const connection of connections) void connection.closed.then(() => open.delete(connection))
    await expect.poll(() => open.size).toBe(1)
    const [remaining] = open
    const id = await push(nodes.first, ['everywhere'], { alert: 'to the last' })
    expect((await remaining!.take(isData)).dataMessage!.ids).toEqual([id])
  })

  if (link.usesRedis)
    it('pushes during a Redis outage are delivered when it returns', async () => {
      const there = await logIn(nodes.second, 'patient')
      await nodes.redis.kill()
      const id = await push(nodes.first, ['patient'], { alert: 'lost on the way' })
      const told = there.take(isData)
      await nodes.redis.start()
      expect((await told).dataMessage!.ids).toEqual([id])
    })

  it('a device that reconnects to another node after a crash receives its unacknowledged pushes', async () => {
    const device = await logIn(nodes.second, 'comes back')
    const [done, open] = [
      await push(nodes.first, ['comes back'], { n: 1, silent: true }),
      await push(nodes.first, ['comes back'], { n: 2, silent: true }),
    ]
    const told = () => new Set(device.received.flatMap(({ dataMessage }) => dataMessage?.ids ?? []))
    await expect.poll(told).toEqual(new Set([done, open]))
    device.send({ cmd: 'ack', installationId: 'comes back', ackMessage: { ids: [done] } })
    const successes = async () =>
      (await call(nodes.first.url, 'GET', `/1.1/tables/Notifications/${done}`, HEADERS, undefined)).body.successes
    await expect.poll(successes).toBe(1)
    await nodes.replaceSecond()
    for (const node of [nodes.first, nodes.second]) {
      const again = await logIn(node, 'comes back')
      expect((await again.take(isData)).dataMessage!.ids).toEqual([open])
    }
  })

  it('nodes with devices stop at once and cleanly', async () => {
    const device = await logIn(nodes.second, 'still there')
    const before = nodes.second.output().length
    const begun = performance.now()
    expect(await nodes.second.stop()).toBe(0)
    // Connections left open would delay the stop for longer.
    expect(performance.now() - begun).toBeLessThan(9500)
    expect((await device.closed)[0]).toBe(1000)
    expect(nodes.second.output().slice(before)).not.toMatch(/"level":"(warn|error|fatal)"/)
  })
})
