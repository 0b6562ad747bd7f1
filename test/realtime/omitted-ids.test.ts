import { expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'

const app = await makeApp()

/** Connects a client that sends messages to the listener from a separate connection. */
async function makeSpeaker() {
  const connection = await connect(app)
  await connection.open('speaker')
  const convMessage = { transient: true, attr: { data: '{}' } }
  const cid = (await connection.request({ cmd: 'conv', op: 'start', convMessage })).convMessage!.cid!
  let count = 0
  return {
    cid,
    /** Returns the command the listener receives after it joined the room by a command with or without its id. */
    async heardBy(listener: RawConnection): Promise<object> {
      const msg = `${++count}`
      connection.send({ cmd: 'direct', i: 1000 + count, directMessage: { cid, msg } })
      return listener.take(({ directMessage }) => directMessage?.msg === msg)
    },
  }
}

const enter = (listener: RawConnection, cid: string, name: { peerId?: string }, m: string) =>
  listener.request({ cmd: 'conv', op: 'add', ...name, convMessage: { cid, m: [m] } })

it('a client that omits its id gets broadcasts without it', async () => {
  const speaker = await makeSpeaker()
  const listener = await connect(app)
  await listener.open('tom')
  await enter(listener, speaker.cid, {}, 'tom')
  expect(await speaker.heardBy(listener)).not.toHaveProperty('peerId')
})

it('a client that names itself gets its id', async () => {
  const speaker = await makeSpeaker()
  const listener = await connect(app)
  await listener.open('tom')
  await enter(listener, speaker.cid, { peerId: 'tom' }, 'tom')
  expect(await speaker.heardBy(listener)).toMatchObject({ peerId: 'tom' })
})

it('a client without the option gets its id', async () => {
  const speaker = await makeSpeaker()
  const listener = await connect(app)
  await listener.open('tom', { configBitmap: 0x3b })
  await enter(listener, speaker.cid, {}, 'tom')
  expect(await speaker.heardBy(listener)).toMatchObject({ peerId: 'tom' })
})

it('once a second client logs in on its connection, a client gets its id from then on', async () => {
  const speaker = await makeSpeaker()
  const listener = await connect(app)
  await listener.open('tom')
  await enter(listener, speaker.cid, {}, 'tom')
  await listener.open('jerry')
  expect(await speaker.heardBy(listener)).toMatchObject({ peerId: 'tom' })
  await listener.request({ cmd: 'session', op: 'close', peerId: 'jerry' })
  await enter(listener, speaker.cid, {}, 'tom')
  expect(await speaker.heardBy(listener)).toMatchObject({ peerId: 'tom' })
})
