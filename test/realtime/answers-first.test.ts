import { expect, it } from 'vitest'
import type { GenericCommand, OperationName } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect } from '../support/raw-connection.ts'

/* Notifications caused by a command follow its response, for every client of the connection: some SDKs react to a push about an
   unknown conversation with another query, or create the conversation twice. */

const app = await makeApp()
let count = 0

/** Opens one connection with two clients, and another connection with a third. */
async function makeClients() {
  const number = ++count
  const names = { owner: `owner ${number}`, friend: `friend ${number}`, other: `other ${number}` }
  const [shared, elsewhere] = [await connect(app), await connect(app)]
  await shared.open(names.owner)
  await shared.open(names.friend)
  await elsewhere.open(names.other)
  return { ...names, shared, elsewhere }
}

type Clients = Awaited<ReturnType<typeof makeClients>>

/**
 * Sends a command of the owner and checks the commands its connection receives, in order.
 * @param expected the kinds of the pushes, each with its receiver
 */
async function checkOrder(
  { shared, owner }: Clients,
  command: GenericCommand,
  expected: readonly (readonly [OperationName, string])[],
): Promise<GenericCommand> {
  const before = shared.received.length
  const answer = await shared.request({ ...command, peerId: owner })
  expect(answer).not.toMatchObject({ cmd: 'error' })
  const come = () => shared.received.slice(before)
  await expect.poll(() => come().length).toBe(expected.length + 1)
  expect(come()[0]).toBe(answer)
  const pushes = come().slice(1)
  expect(pushes.map(({ op, peerId }) => [op, peerId])).toEqual(expected)
  return answer
}

it('a conversation that is created, changed, managed and left', async () => {
  const clients = await makeClients()
  const { owner, friend, other, shared } = clients
  const conv = (op: OperationName, convMessage: object): GenericCommand => ({ cmd: 'conv', op, convMessage })
  const { convMessage } = await checkOrder(
    clients,
    conv('start', { m: [friend, other], unique: false }),
    [
      ['joined', owner],
      ['joined', friend],
      ['members_joined', owner],
      ['members_joined', friend],
    ].toSorted() as never,
  )
  const cid = convMessage!.cid!
  await checkOrder(clients, conv('update', { cid, attr: { data: '{"name":"n"}' } }), [['updated', friend]])
  const info = { pid: friend, role: 'Manager' }
  await checkOrder(clients, conv('member_info_update', { cid, targetClientId: friend, info }), [
    ['member_info_changed', friend],
    ['member_info_changed', owner],
  ])
  await checkOrder(clients, conv('add_shutup', { cid, m: [friend] }), [
    ['shutuped', friend],
    ['members_shutuped', friend],
    ['members_shutuped', owner],
  ])
  await checkOrder(clients, conv('remove_shutup', { cid, m: [friend] }), [
    ['unshutuped', friend],
    ['members_unshutuped', friend],
    ['members_unshutuped', owner],
  ])
  await checkOrder(clients, conv('remove', { cid, m: [other] }), [
    ['members_left', friend],
    ['members_left', owner],
  ])
  await checkOrder(clients, conv('add', { cid, m: [other] }), [
    ['members_joined', friend],
    ['members_joined', owner],
  ])
  const block = { srcCid: cid, toPids: [friend] }
  await checkOrder(clients, { cmd: 'blacklist', op: 'block', blacklistMessage: block }, [
    ['blocked', friend],
    ['left', friend],
    ['members_blocked', owner],
    ['members_left', owner],
  ])
  await checkOrder(clients, { cmd: 'blacklist', op: 'unblock', blacklistMessage: block }, [
    ['unblocked', friend],
    ['members_unblocked', owner],
  ])
  await checkOrder(clients, conv('remove', { cid, m: [owner] }), [['left', owner]])
  expect(shared.received.filter(({ cmd }) => cmd === 'error')).toEqual([])
})

it('a temporary conversation', async () => {
  const clients = await makeClients()
  const { owner, friend } = clients
  await checkOrder(clients, { cmd: 'conv', op: 'start', convMessage: { m: [friend], tempConv: true } }, [
    ['joined', friend],
    ['joined', owner],
    ['members_joined', friend],
    ['members_joined', owner],
  ])
})

it('concurrent changes of other clients arrive in order', async () => {
  const clients = await makeClients()
  const { shared, elsewhere, friend, other } = clients
  const start = { cmd: 'conv', op: 'start', convMessage: { m: [friend, other], unique: false } } as const
  const { convMessage } = await shared.request({ ...start, peerId: clients.owner })
  const cid = convMessage!.cid!
  for (let n = 1; n <= 20; n++) {
    const update = (peerId: string): GenericCommand => ({
      cmd: 'conv',
      op: 'update',
      peerId,
      convMessage: { cid, attr: { data: JSON.stringify({ n: `${n} ${peerId}` }) } },
    })
    await Promise.all([shared.request(update(clients.owner)), elsewhere.request(update(other))])
  }
  const times = () =>
    shared.received
      .filter(({ op, peerId, i }) => op === 'updated' && peerId === friend && i === undefined)
      .map(({ serverTs }) => serverTs!)
  await expect.poll(() => times().length).toBe(40)
})
