import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { decode, type Encoding, encode } from '../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect } from '../support/raw-connection.ts'

const app = await makeApp()

/** Connects a client that keeps the raw frames. */
async function listen(subprotocol: string, encoding: Encoding, peerId: string) {
  const socket = new WebSocket(app.url.replace('http', 'ws'), subprotocol)
  onTestFinished(() => socket.terminate())
  const received: GenericCommand[] = []
  socket.on('message', (frame: Buffer, isBinary) => {
    received.push(encoding === 'json' ? JSON.parse(frame.toString()) : decode(isBinary ? frame : `${frame}`, encoding))
  })
  await once(socket, 'open')
  const send = (command: GenericCommand) => socket.send(encode(command, encoding))
  send({ cmd: 'session', op: 'open', i: 1, appId: app.appId, peerId, sessionMessage: { configBitmap: 0xab } })
  await expect.poll(() => received.find(({ op }) => op === 'opened')).toBeDefined()
  return { received, send }
}

it.each([
  ['lc.protobuf2.3', 'protobuf'],
  ['lc.proto2base64.3', 'base64'],
  ['lc.json.3', 'json'],
  ['lc.protobuf2.1', 'protobuf'],
] as const)(
  'every push of messaging has its service in %s (protocol/realtime, What every server command must carry)',
  async (name, encoding) => {
    const owner = await connect(app)
    const [tom, jerry] = [`tom ${name}`, `jerry ${name}`]
    await owner.open(tom)
    const { received, send } = await listen(name, encoding, jerry)
    const pushes = () => received.filter(({ i }) => i === undefined)
    const told = (cmd: string, op?: string) =>
      expect.poll(() => pushes().map((push) => [push.cmd, op && push.op])).toContainEqual([cmd, op])

    const conv = async (op: 'start' | 'update' | 'member_info_update' | 'add_shutup' | 'remove', convMessage: object) =>
      (await owner.request({ cmd: 'conv', op, convMessage })).convMessage!
    const { cid } = await conv('start', { m: [jerry] })
    await told('conv', 'members_joined')
    const direct = { cmd: 'direct', directMessage: { cid: cid!, msg: 'hello', r: true } } as const
    const { uid: mid, t: timestamp } = (await owner.request(direct)).ackMessage!
    await told('direct')
    send({ cmd: 'read', readMessage: { convs: [{ cid: cid! }] } })
    if (name.endsWith('.3')) await told('unread')
    await owner.take(({ cmd }) => cmd === 'rcp')
    const patches = [{ cid: cid!, mid: mid!, timestamp: timestamp!, data: 'new' }]
    await owner.request({ cmd: 'patch', op: 'modify', patchMessage: { patches } })
    await told('patch')
    await conv('update', { cid, attr: { data: '{"name":"n"}' } })
    await told('conv', 'updated')
    await conv('member_info_update', { cid, targetClientId: jerry, info: { pid: jerry, role: 'Manager' } })
    await told('conv', 'member_info_changed')
    await conv('add_shutup', { cid, m: [jerry] })
    await told('conv', 'shutuped')
    await owner.request({ cmd: 'blacklist', op: 'block', blacklistMessage: { srcCid: cid!, toPids: [jerry] } })
    await told('conv', 'left')
    await app.request('POST', `/1.2/rtm/clients/${encodeURIComponent(jerry)}/kick`, {
      master: true,
      body: { reason: 'x' },
    })
    await told('session', 'closed')

    const all = [...pushes(), ...owner.received.filter(({ i }) => i === undefined)]
    expect(all.filter(({ service }) => service !== 2)).toEqual([])
  },
)
