import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { createTemporary } from '../conversations/temporary-conversations.ts'
import { sendAsApp } from './send-as-app.ts'

const { messaging, connect, conversation } = await makeMessaging()

const message = (convId: string, toClients: readonly string[] = []) => ({
  convId,
  fromClient: 'app',
  toClients,
  content: `to ${convId}`,
  transient: false,
  sync: false,
  mentionAll: false,
  mentions: [],
  pushData: null,
})
const said = (session: ReturnType<typeof connect>) => session.of('message').map((event) => event.message.content)

it('sends to all members of a conversation, whatever receivers are named', async () => {
  const [ann, bob] = [connect('ann'), connect('bob')]
  const convId = await conversation(['ann', 'bob'])
  const { id, ts } = await sendAsApp(messaging, message(convId, ['ann']))
  expect(ann.of('message')[0]?.message).toMatchObject({ id, ts, sender: 'app' })
  expect([said(ann), said(bob)]).toEqual([[`to ${convId}`], [`to ${convId}`]])
})

it('sends to the members of a temporary conversation', async () => {
  const [cid, dan] = [connect('cid'), connect('dan')]
  const wanted = { members: ['dan'], ttl: null, unique: false }
  const { conversation: temporary } = await createTemporary(messaging, cid, wanted)
  await sendAsApp(messaging, message(temporary.id))
  expect([said(cid), said(dan)]).toEqual([[`to ${temporary.id}`], [`to ${temporary.id}`]])
})

it('sends to the named clients of a system conversation, and requires at least one', async () => {
  const [eve, fay] = [connect('eve'), connect('fay')]
  const convId = await conversation([], { sys: true })
  await expect(sendAsApp(messaging, message(convId))).rejects.toMatchObject({ code: 1, status: 400 })
  await sendAsApp(messaging, message(convId, ['eve']))
  expect([said(eve), said(fay)]).toEqual([[`to ${convId}`], []])
})

it('rejects an unknown conversation', async () => {
  await expect(sendAsApp(messaging, message('555555555555555555555555'))).rejects.toMatchObject({ code: 4303 })
})
