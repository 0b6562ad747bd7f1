import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { connect } from '../support/raw-connection.ts'
import { devicesOf } from '../support/realtime.ts'

async function limited(limits: object) {
  const app = await makeApp()
  await app.admin('PATCH', '/settings', { limits })
  return app
}

describe('clients on one connection', () => {
  it('are limited, however many log in concurrently', async () => {
    const app = await limited({ sessionsOfConnection: 5 })
    const connection = await connect(app)
    const opens = await Promise.all(Array.from({ length: 20 }, (_, n) => connection.open(`client ${n}`)))
    expect(opens.filter(({ op }) => op === 'opened')).toHaveLength(5)
    const refused = opens.filter(({ cmd }) => cmd === 'error')
    expect(refused).toHaveLength(15)
    expect(refused[0]).toMatchObject({ errorMessage: { code: 4103, reason: 'INVALID_LOGIN' } })
    // Open clients stay open, and closing one frees a slot.
    expect(await connection.open('client 0')).toMatchObject({ op: 'opened' })
    await connection.request({ cmd: 'session', op: 'close', peerId: 'client 0' })
    expect(await connection.open('another')).toMatchObject({ op: 'opened' })
    expect(await (await connect(app)).open('elsewhere')).toMatchObject({ op: 'opened' })
  })
})

describe('commands', () => {
  it('of one client are limited, also a hundred at once; responses report it, and other clients are not affected', async () => {
    const app = await limited({ commands: { user: { hour: 11 } } })
    const [ann, bob] = [await connect(app), await connect(app)]
    await ann.open('ann')
    await bob.open('bob')
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => ann.request({ cmd: 'conv', op: 'query', convMessage: { limit: 1 } })),
    )
    expect(answers.filter(({ op }) => op === 'results')).toHaveLength(10)
    const [refused] = answers.filter(({ cmd }) => cmd === 'error')
    expect(refused).toMatchObject({ errorMessage: { code: 4116, reason: 'MESSAGE_SENT_QUOTA_EXCEEDED' } })
    expect(await bob.request({ cmd: 'conv', op: 'query', convMessage: { limit: 1 } })).toMatchObject({ op: 'results' })
    // A client over its limit can still close its session.
    expect(await ann.request({ cmd: 'session', op: 'close' })).toMatchObject({ op: 'closed' })
  })

  it('keep their order, counted or not', async () => {
    const app = await limited({ messages: { address: { hour: 1000 } } })
    const connection = await connect(app)
    await connection.open('ann')
    const { convMessage } = await connection.request({ cmd: 'conv', op: 'start', convMessage: { m: ['ann'] } })
    const cid = convMessage!.cid!
    const sends = Array.from({ length: 50 }, (_, n) =>
      connection.request({ cmd: 'direct', directMessage: { cid, msg: `${n}` } }),
    )
    const closed = connection.request({ cmd: 'session', op: 'close' })
    const times = (await Promise.all(sends)).map(({ ackMessage }) => ackMessage!.t!)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(new Set(times).size).toBe(50)
    expect(await closed).toMatchObject({ op: 'closed' })
  })
})

it('counts each edit of a command as a message', async () => {
  const app = await limited({ messages: { user: { hour: 6 } } })
  const ann = await connect(app)
  await ann.open('ann')
  const { convMessage } = await ann.request({ cmd: 'conv', op: 'start', convMessage: { m: ['ann'] } })
  const cid = convMessage!.cid!
  const { ackMessage } = await ann.request({ cmd: 'direct', directMessage: { cid, msg: 'hi' } })
  const patch = { cid, mid: ackMessage!.uid!, timestamp: ackMessage!.t!, data: 'hello' }
  const edit = (times: number) =>
    ann.request({ cmd: 'patch', op: 'modify', patchMessage: { patches: Array.from({ length: times }, () => patch) } })
  expect(await edit(3)).toMatchObject({ cmd: 'patch', op: 'modified' })
  expect(await edit(3)).toMatchObject({ cmd: 'error', errorMessage: { code: 4116 } })
})

describe('deliveries', () => {
  it('are counted per member and per room client; other clients continue', async () => {
    const app = await limited({ deliveries: { user: { hour: 190 } } })
    const [ann, bob] = [await connect(app), await connect(app)]
    await ann.open('ann')
    await bob.open('bob')
    const members = ['bob', ...Array.from({ length: 28 }, (_, n) => `member ${n}`)]
    // Creating a conversation of 30 members counts four for each, then each message counts one: 120, 150, 180.
    const { convMessage } = await ann.request({ cmd: 'conv', op: 'start', convMessage: { m: ['ann', ...members] } })
    const say = { cmd: 'direct', directMessage: { cid: convMessage!.cid!, msg: 'hi' } } as const
    const answers = await Promise.all(Array.from({ length: 5 }, () => ann.request(say)))
    expect(answers.map(({ ackMessage }) => ackMessage?.code)).toEqual([undefined, undefined, 4116, 4116, 4116])
    expect(await bob.request(say)).toMatchObject({ cmd: 'ack', ackMessage: { uid: expect.any(String) } })
    // Commands that notify no other client are not counted.
    const query = { cmd: 'conv', op: 'query', convMessage: { limit: 1 } } as const
    expect(await ann.request(query)).toMatchObject({ op: 'results' })
  })

  it('in a room are as many as its clients', async () => {
    const app = await limited({ deliveries: { user: { hour: 13 } } })
    const [ann, ...others] = await Promise.all(
      ['ann', 'bob', 'cid', 'dan'].map(async (name) => {
        const connection = await connect(app)
        await connection.open(name)
        return connection
      }),
    )
    const { convMessage } = await ann!.request({ cmd: 'conv', op: 'start', convMessage: { transient: true } })
    const cid = convMessage!.cid!
    for (const [n, connection] of [ann!, ...others].entries())
      await connection.request({ cmd: 'conv', op: 'add', convMessage: { cid, m: [['ann', 'bob', 'cid', 'dan'][n]!] } })
    const say = { cmd: 'direct', directMessage: { cid, msg: 'hi' } } as const
    const answers = []
    for (let n = 0; n < 4; n++) answers.push(await ann!.request(say))
    // Her joining as the first counts four; each message counts four.
    expect(answers.map(({ ackMessage }) => ackMessage?.code)).toEqual([undefined, undefined, 4116, 4116])
  })

  it('for a client that joins a room are four, whatever its size', async () => {
    const app = await limited({ deliveries: { user: { hour: 4 } } })
    const makers = await connect(app)
    await makers.open('maker')
    const { convMessage } = await makers.request({ cmd: 'conv', op: 'start', convMessage: { transient: true } })
    const cid = convMessage!.cid!
    for (let n = 0; n < 6; n++) {
      const connection = await connect(app)
      await connection.open(`member ${n}`)
      const entered = await connection.request({ cmd: 'conv', op: 'add', convMessage: { cid, m: [`member ${n}`] } })
      expect(entered).toMatchObject({ op: 'added' })
    }
  })
})

describe('concurrent commands', async () => {
  const app = await limited({ commands: { user: { hour: 10 } } })
  const query = { cmd: 'conv', op: 'query', convMessage: { limit: 1 } } as const

  it('start in their order, including logout and login', async () => {
    const connection = await connect(app)
    await connection.open('ann')
    const [asked, closed, late, opened, again] = await Promise.all([
      connection.request(query),
      connection.request({ cmd: 'session', op: 'close' }),
      connection.request(query),
      connection.open('ann'),
      connection.request(query),
    ])
    expect(asked).toMatchObject({ op: 'results' })
    expect(closed).toMatchObject({ op: 'closed' })
    expect(late).toMatchObject({ errorMessage: { code: 4105 } })
    expect([opened, again]).toMatchObject([{ op: 'opened' }, { op: 'results' }])
    expect(await connection.request(query)).toMatchObject({ op: 'results' })
  })

  it('are counted when they arrive with the login, and not for a client that is not logged in there', async () => {
    const [bob, stranger] = [await connect(app), await connect(app)]
    await stranger.open('stranger')
    for (let n = 0; n < 20; n++) await stranger.request({ ...query, peerId: 'bob' })
    const [opened, ...answers] = await Promise.all([
      bob.open('bob'),
      ...Array.from({ length: 20 }, () => bob.request({ ...query, peerId: 'bob' })),
    ])
    expect(opened).toMatchObject({ op: 'opened' })
    expect(answers.filter(({ op }) => op === 'results')).toHaveLength(9)
  })
})

describe('the official client', async () => {
  const app = await limited({ messages: { user: { hour: 3 } } })
  const device = devicesOf(app)

  it('receives an error for a message beyond the limit, and continues', async () => {
    const { sdk, logIn } = device()
    const ann = await logIn('ann')
    const conversation = await ann.createConversation({ members: ['bob'] })
    for (let n = 0; n < 3; n++) await conversation.send(new sdk.TextMessage(`${n}`))
    await expect(conversation.send(new sdk.TextMessage('too much'))).rejects.toMatchObject({ code: 4116 })
    expect(await conversation.queryMessages({})).toHaveLength(3)
  })
})
