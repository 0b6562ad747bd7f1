import AV from 'leancloud-storage'
import { expect, it, vi } from 'vitest'
import { makeSdkApp } from '../support/sdk.ts'

const app = await makeSdkApp()
const master = { useMasterKey: true }
const data = { alert: 'Hello' }

interface Sent {
  readonly objectId: string
  readonly createdAt: string
}

const send = (push: AV.Push.PushData) => AV.Push.send<Sent>(push, master)

/** Creates an Android device that has connected to push. */
async function makeDevice(fields: Record<string, unknown>): Promise<void> {
  const installation = await new AV.Installation().save(fields, master)
  await app.sql(`UPDATE "_Installation" SET data = data || '{"valid":true}' WHERE id = $1`, [installation.id])
}

await makeDevice({ deviceType: 'android', installationId: 'a', level: 1, channels: ['news'], seen: new Date(1000) })
await makeDevice({ deviceType: 'android', installationId: 'b', level: 2, channels: ['news', 'sports'] })
await makeDevice({ deviceType: 'android', installationId: 'c', level: 3, seen: new Date() })

/** Reads the record of a finished push, as the Python SDK does. */
const recordOf = ({ objectId }: Sent) =>
  vi.waitFor(
    async () => {
      const { body } = await app.request('GET', `/1.1/tables/Notifications/${objectId}`)
      expect(body.status).toBe('done')
      return body
    },
    { timeout: 60_000, interval: 50 },
  )

const condition = () => new AV.Query(AV.Installation)

it.each<[string, AV.Push.PushData, number]>([
  ['to everybody', {}, 3],
  ['to a channel', { channels: ['news'] }, 2],
  ['to one of two channels', { channels: ['sports', 'weather'] }, 1],
  ['to a query', { where: condition().greaterThan('level', 1) }, 2],
  ['to a query and a channel', { where: condition().greaterThan('level', 1), channels: ['news'] }, 1],
  ['to a query over dates', { where: condition().lessThan('seen', new Date(2000)) }, 1],
  [
    'to a query of alternatives',
    { where: AV.Query.or(condition().equalTo('level', 1), condition().exists('seen')) },
    2,
  ],
  ['to CQL', { cql: "select * from _Installation where level in (1, 3) and seen < date('2026-01-05T00:00:00Z')" }, 1],
  ['until a time', { expiration_time: new Date(Date.now() + 600_000) }, 3],
  ['for some time', { expiration_interval: 600 }, 3],
  ['now', { push_time: new Date(), expiration_interval: 600 }, 3],
  ['slowly', { flow_control: 1000 }, 3],
])('AV.Push.send %s reaches the selected devices', async (_, target, devices) => {
  const sent = await send({ data, ...target })
  expect(sent.objectId).toMatch(/^[A-Za-z0-9]{16}$/)
  const record = await recordOf(sent)
  expect(record).toMatchObject({ objectId: sent.objectId, createdAt: sent.createdAt, msg: data, devices })
})

it('AV.Push.send with a time waits for it', async () => {
  const push_time = new Date(Date.now() + 3_600_000)
  const { objectId } = await send({ data, push_time })
  const { body } = await app.request('GET', `/1.1/tables/Notifications/${objectId}`)
  expect(body).toMatchObject({ status: 'scheduled', devices: 0, 'push-time': push_time.toISOString() })
})

it('AV.Push.send by a client is rejected', async () => {
  await expect(AV.Push.send({ data })).rejects.toMatchObject({ code: 403 })
})

it('AV.Push.send with CQL for the wrong class is rejected', async () => {
  await expect(send({ data, cql: 'select * from Post' })).rejects.toMatchObject({ code: 1 })
})
