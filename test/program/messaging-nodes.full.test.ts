import { beforeEach, describe, expect, it } from 'vitest'
import type { ConvCommand, GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { makeInstallation } from '../support/nodes.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'
import { redisServer } from '../support/redis.ts'

if (redisServer === null) it.skip('messaging on two nodes requires Redis, which is not installed')
else {
  const { startNode, makeApp } = await makeInstallation()
  const [first, second] = [await startNode(), await startNode()]
  const app = await makeApp(first)
  let count = 0
  let [tom, jerry] = ['', '']

  beforeEach(() => {
    count++
    tom = `tom ${count}`
    jerry = `jerry ${count}`
  })

  const connectTo = (node: { readonly url: string }) => connect({ appId: app.appId, url: node.url })

  /** Opens two connections to different nodes, with Tom and Jerry logged in. */
  async function openBoth(messages: readonly [object, object] = [{}, {}]) {
    const [here, there] = [await connectTo(first), await connectTo(second)]
    await here.open(tom, messages[0])
    await there.open(jerry, messages[1])
    return { here, there }
  }

  const conv = (connection: RawConnection, op: GenericCommand['op'], convMessage: ConvCommand) =>
    connection.request({ cmd: 'conv', ...(op && { op }), convMessage })
  const start = async (connection: RawConnection, ...m: string[]) =>
    (await conv(connection, 'start', { m, unique: false })).convMessage!.cid!
  const send = (connection: RawConnection, cid: string, msg: string) =>
    connection.request({ cmd: 'direct', directMessage: { cid, msg } })
  const saying = (msg: string) => (command: GenericCommand) => command.directMessage?.msg === msg
  const isPush = (op: GenericCommand['op']) => (command: GenericCommand) => command.op === op && command.i === undefined
  const onlineOf = async (connection: RawConnection, ...sessionPeerIds: string[]) =>
    (await connection.request({ cmd: 'session', op: 'query', sessionMessage: { sessionPeerIds } })).sessionMessage!
      .onlineSessionPeerIds ?? []

  describe('a client on one node', () => {
    it('is kicked over REST by the other', async () => {
      const { there } = await openBoth()
      const reply = await app.request('POST', `/1.2/rtm/clients/${jerry}/kick`, {
        master: true,
        body: { reason: 'enough' },
      })
      expect(reply.status).toBe(200)
      expect(await there.take(isPush('closed'))).toMatchObject({
        peerId: jerry,
        sessionMessage: { code: 4115, reason: 'enough' },
      })
    })

    it('is online for the other, over REST too, until it logs out', async () => {
      const { here, there } = await openBoth()
      const check = () =>
        app.request('POST', '/1.2/rtm/clients/check-online', { master: true, body: { client_ids: [jerry, tom] } })
      await expect.poll(async () => (await onlineOf(here, jerry, tom)).toSorted()).toEqual([jerry, tom])
      expect((await check()).body).toEqual({ results: [jerry, tom] })
      await there.request({ cmd: 'session', op: 'close', peerId: jerry })
      await expect.poll(() => onlineOf(here, jerry, tom)).toEqual([tom])
    })

    it('is replaced by one with its tag on the other, unless that one only reconnects', async () => {
      const [old, returning, fresh] = [await connectTo(first), await connectTo(second), await connectTo(second)]
      await old.open(tom, { tag: 'mobile', deviceId: 'old phone' })
      const message = { tag: 'mobile', deviceId: 'new phone' }
      expect(await returning.open(tom, { ...message, r: true })).toMatchObject({ errorMessage: { code: 4111 } })
      expect(await fresh.open(tom, message)).toMatchObject({ op: 'opened' })
      expect(await old.take(isPush('closed'))).toMatchObject({ peerId: tom, sessionMessage: { code: 4111 } })
    })

    it('is notified that its message was received and read on the other', async () => {
      const { here, there } = await openBoth()
      const cid = await start(here, jerry)
      const isReceipt = ({ cmd, op }: GenericCommand) => cmd === 'rcp' && op === undefined
      const { ackMessage } = await here.request({ cmd: 'direct', directMessage: { cid, msg: 'hello', r: true } })
      await there.take(saying('hello'))
      there.send({ cmd: 'ack', ackMessage: { cid, mid: ackMessage!.uid! } })
      expect(await here.take(isReceipt)).toMatchObject({ rcpMessage: { id: ackMessage!.uid, cid } })
      there.send({ cmd: 'read', readMessage: { convs: [{ cid, mid: ackMessage!.uid!, timestamp: Date.now() }] } })
      expect(await here.take(isReceipt)).toMatchObject({ rcpMessage: { id: ackMessage!.uid, cid, read: true } })
    })

    it('that was removed by the other stops sending as soon as it is notified', async () => {
      const { here, there } = await openBoth()
      const cid = await start(here, jerry)
      await there.take(isPush('joined'))
      for (let round = 1; round <= 10; round++) {
        expect(await send(there, cid, `${round}`)).toMatchObject({ cmd: 'ack', ackMessage: { cid } })
        await conv(here, 'remove', { cid, m: [jerry] })
        await there.take(isPush('left'))
        expect(await send(there, cid, 'still here?')).toMatchObject({ ackMessage: { code: 4401 } })
        await conv(here, 'add', { cid, m: [jerry] })
        await there.take(isPush('joined'))
      }
    })
  })

  describe('a chat room on two nodes', () => {
    async function makeRoom() {
      const { here, there } = await openBoth()
      const cid = (await conv(here, 'start', { transient: true })).convMessage!.cid!
      await conv(there, 'add', { cid, m: [jerry] })
      return { here, there, cid }
    }
    const countIn = async (connection: RawConnection, cid: string) =>
      (await conv(connection, 'count', { cid })).convMessage!.count
    const listed = async (connection: RawConnection, cid: string) =>
      ((await conv(connection, 'members', { cid })).convMessage!.m ?? []).toSorted()

    it('counts and lists its members on both', async () => {
      const { here, there, cid } = await makeRoom()
      for (const connection of [here, there]) {
        await expect.poll(() => countIn(connection, cid)).toBe(2)
        expect(await listed(connection, cid)).toEqual([jerry, tom])
      }
      const get = async (path: string) =>
        (await app.request('GET', `/1.2/rtm/chatrooms/${cid}/members${path}`, { master: true })).body.result
      expect([await get('/online-count'), (await get('')).toSorted()]).toEqual([2, [jerry, tom]])
      await conv(there, 'remove', { cid, m: [jerry] })
      await expect.poll(() => countIn(here, cid)).toBe(1)
      expect(await listed(here, cid)).toEqual([tom])
    })

    it('delivers messages, and removes a client blocked on the other', async () => {
      const { here, there, cid } = await makeRoom()
      await send(here, cid, 'to the other node')
      await there.take(saying('to the other node'))
      const path = `/1.2/rtm/chatrooms/${cid}/blacklists`
      expect((await app.request('POST', path, { master: true, body: { client_ids: [jerry] } })).status).toBe(200)
      await expect.poll(() => countIn(here, cid)).toBe(1)
      await send(here, cid, 'among us')
      expect(there.received.some(saying('among us'))).toBe(false)
    })
  })
}
