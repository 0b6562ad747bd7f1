import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { runs } from '../../test/support/runs.ts'
import { createLog } from '../log.ts'
import { decode, type Encoding, encode } from '../realtime-protocol/codec.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import { SharedCommand } from '../realtime-protocol/shared-command.ts'
import { isAnswered } from './commands/table.ts'
import type { Connection } from './connection.ts'
import { RealtimeServer } from './realtime-server.ts'
import { chooseSubprotocol } from './subprotocol.ts'

const http = createServer().listen(0, '127.0.0.1')
const logged: string[] = []
const log = createLog('debug', { write: (line) => void logged.push(line) })
const accepted: Connection[] = []
const now = vi.fn(() => performance.now())
const realtime = new RealtimeServer({
  log,
  onConnection: (connection) => void accepted.push(connection),
  grace: 20,
  // Disabled: the tests check timeouts explicitly.
  sweepInterval: 2 ** 31 - 1,
  now,
})
realtime.attach(http)
await once(http, 'listening')
const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}`
const clients: WebSocket[] = []

afterEach(() => {
  for (const client of clients.splice(0)) client.terminate()
  logged.splice(0)
})

afterAll(async () => {
  await realtime.stop()
  http.close()
})

/** Connects a client. Returns it with the commands it has received, the end of its connection, and the server side. */
async function connect(subprotocol = 'lc.protobuf2.3') {
  const client = new WebSocket(url, subprotocol)
  clients.push(client)
  const { encoding } = chooseSubprotocol([subprotocol])!
  const received: GenericCommand[] = []
  const texts: string[] = []
  client.on('message', (data, isBinary) => {
    const frame = isBinary ? (data as Buffer) : data.toString()
    if (frame === '{}') texts.push(frame)
    else received.push(decode(frame, encoding))
  })
  const closed = once(client, 'close').then(([code, reason]: unknown[]) => [code, String(reason)])
  await once(client, 'open')
  const connection = accepted.pop()!
  const commands: GenericCommand[] = []
  connection.onCommand((command) => void commands.push(command), isAnswered)
  const send = (...commands: GenericCommand[]) => {
    for (const command of commands) client.send(encode(command, encoding))
  }
  return { client, received, texts, closed, send, connection, heard: commands }
}

const echoes = (from: number, to: number): GenericCommand[] =>
  Array.from({ length: to - from }, (_, index) => ({ cmd: 'echo', i: from + index }))
const queries = (from: number, to: number): GenericCommand[] =>
  echoes(from, to).map(({ i }) => ({ cmd: 'session', op: 'query', i }))

/** Resolves when all requests that the client has sent so far have responses. */
async function settled({ send, received }: Pick<Awaited<ReturnType<typeof connect>>, 'send' | 'received'>) {
  send({ cmd: 'echo', i: -4711 })
  await vi.waitFor(() => expect(received).toContainEqual({ cmd: 'echo', i: -4711 }), 10_000)
}

describe.each([
  ['lc.protobuf2.3', 'protobuf', 3],
  ['lc.protobuf2.1', 'protobuf', 1],
  ['lc.proto2base64.3', 'base64', 3],
  ['lc.json.3', 'json', 3],
] as const)('a connection of %s', (subprotocol, encoding, version) => {
  it('passes on commands in order and sends responses in order', async () => {
    const { connection, send, received, heard: commands } = await connect(subprotocol)
    expect(connection).toMatchObject({ encoding, version, remoteAddress: '127.0.0.1', appId: null, closed: false })
    connection.onCommand((command) => {
      commands.push(command)
      connection.send({ cmd: 'session', op: 'query_result', i: command.i })
    })
    send(...queries(0, 300))
    await vi.waitFor(() => expect(received).toHaveLength(300), 10_000)
    expect(commands).toEqual(queries(0, 300))
    expect(received.map(({ i }) => i)).toEqual(queries(0, 300).map(({ i }) => i))
  })

  it('sends shared commands with the id of the receiver', async () => {
    const { connection, received } = await connect(subprotocol)
    const shared = new SharedCommand({ cmd: 'direct', directMessage: { msg: 'hello' } })
    for (const peerId of ['tom', '小明']) connection.sendShared(shared, peerId)
    await vi.waitFor(() => expect(received).toHaveLength(2), 10_000)
    expect(received).toMatchObject([
      { peerId: 'tom', directMessage: { msg: 'hello' } },
      { peerId: '小明', directMessage: { msg: 'hello' } },
    ])
  })

  it('responds to an echo, with its number and nothing else', async () => {
    const { send, received, heard: commands } = await connect(subprotocol)
    send({ cmd: 'echo', i: 7 }, { cmd: 'echo', i: 0 }, { cmd: 'echo', i: -65_535, op: 'open' })
    send({ cmd: 'echo', appId: 'app', peerId: 'app' })
    await vi.waitFor(() => expect(received).toHaveLength(4), 10_000)
    expect(received).toEqual([
      { cmd: 'echo', i: 7 },
      { cmd: 'echo', i: 0 },
      { cmd: 'echo', i: -65_535 },
      { cmd: 'echo' },
    ])
    expect(commands).toEqual([])
  })
})

it('responds to an empty object with one for JSON', async () => {
  const { client, texts, heard: commands } = await connect('lc.json.3')
  client.send('{}')
  await vi.waitFor(() => expect(texts).toEqual(['{}']), 10_000)
  expect(commands).toEqual([])
})

it('answers a ping with its content', async () => {
  const { client } = await connect()
  client.ping('anybody there')
  const [data] = await once(client, 'pong')
  expect(String(data)).toBe('anybody there')
})

it('keeps a client that sends nothing but pings, many at a time', async () => {
  const { client, connection } = await connect()
  const pongs: string[] = []
  client.on('pong', (content) => pongs.push(String(content)))
  for (let count = 0; count < 5000; count++) client.ping(String(count))
  await vi.waitFor(() => expect(pongs.at(-1)).toBe('4999'), 10_000)
  expect(pongs.length).toBeLessThan(5000)
  expect(pongs).toEqual(pongs.toSorted((a, b) => Number(a) - Number(b)))
  expect(connection.closed).toBe(false)
})

describe('the app', () => {
  it('is that of the first command that names one; a different one is rejected later', async () => {
    const one = await connect()
    one.send({ cmd: 'login', i: 1 }, { cmd: 'login', i: 2, appId: 'first' }, { cmd: 'login', i: 3 })
    one.send(
      { cmd: 'login', i: 4, appId: 'first' },
      { cmd: 'session', op: 'open', i: 5, peerId: 'tom', appId: 'second' },
    )
    await settled(one)
    expect(one.connection.appId).toBe('first')
    expect(one.heard.map(({ i }) => i)).toEqual([1, 2, 3, 4])
    expect(one.received[0]).toMatchObject({
      cmd: 'error',
      i: 5,
      peerId: 'tom',
      errorMessage: { code: 4100, reason: 'APP_NOT_AVAILABLE' },
    })
  })

  it('is not rejected without an expected response', async () => {
    const one = await connect()
    one.send({ cmd: 'login', appId: 'first' })
    const foreign = { appId: 'second', i: 1 } as const
    one.send({ cmd: 'ack', ...foreign }, { cmd: 'read', ...foreign }, { cmd: 'patch', op: 'modified', ...foreign })
    await settled(one)
    expect(one.received).toEqual([{ cmd: 'echo', i: -4711 }])
    expect(one.heard).toHaveLength(1)
  })

  it('is not taken from an echo', async () => {
    const one = await connect()
    one.send({ cmd: 'echo', appId: 'first' })
    await settled(one)
    expect(one.connection.appId).toBeNull()
  })
})

describe('a frame that is not a command closes the connection with 4114', () => {
  const text = (bytes: Buffer) => (client: WebSocket) => client.send(bytes, { binary: false })
  const binary = (bytes: Buffer) => (client: WebSocket) => client.send(bytes)
  const command = encode({ cmd: 'echo', i: 1 }, 'protobuf')

  it.each([
    ['random bytes', 'lc.protobuf2.3', binary(Buffer.from([1, 2, 3]))],
    ['nothing', 'lc.protobuf2.3', binary(Buffer.alloc(0))],
    ['text instead of binary', 'lc.protobuf2.3', text(command)],
    ['an empty object instead of binary', 'lc.protobuf2.3', text(Buffer.from('{}'))],
    ['binary instead of base64', 'lc.proto2base64.3', binary(command)],
    ['binary instead of JSON', 'lc.json.3', binary(Buffer.from('{"cmd":"echo"}'))],
    ['text that is no base64', 'lc.proto2base64.3', text(Buffer.from('hello, world'))],
    ['text that is no UTF-8', 'lc.json.3', text(Buffer.from('{"cmd":"echo","peerId":"\xff"}', 'latin1'))],
  ])('%s', async (_name, subprotocol, send) => {
    const { client, closed, received } = await connect(subprotocol)
    send(client)
    expect(await closed).toEqual([4114, 'UNPARSEABLE_RAW_MESSAGE'])
    expect(received).toEqual([])
  })

  it('still gets responses to earlier commands', async () => {
    const { client, send, closed, received } = await connect()
    send(...echoes(1, 4))
    client.send(Buffer.from([1, 2, 3]))
    send(...echoes(4, 6))
    expect(await closed).toEqual([4114, 'UNPARSEABLE_RAW_MESSAGE'])
    expect(received).toEqual(echoes(1, 4))
  })
})

/** A command whose frame has exactly this number of bytes. */
function commandOfSize(size: number): GenericCommand {
  for (let length = size; ; length--) {
    const command: GenericCommand = { cmd: 'direct', directMessage: { msg: 'x'.repeat(length) } }
    if (encode(command, 'protobuf').length === size) return command
  }
}

describe('the length of frames', () => {
  it('is limited to 16 KB: longer ones close the connection with 4109', async () => {
    const one = await connect()
    one.send(commandOfSize(16 * 1024))
    await settled(one)
    expect(one.heard).toHaveLength(1)
    one.send(commandOfSize(16 * 1024 + 1))
    expect(await one.closed).toEqual([4109, 'FRAME_TOO_LONG'])
    expect(one.heard).toHaveLength(1)
  })

  it('is limited for fragmented frames, too', async () => {
    const one = await connect()
    for (const [fin, bytes] of [
      [false, 10_000],
      [true, 10_000],
    ] as const)
      one.client.send(Buffer.alloc(bytes), { fin })
    expect(await one.closed).toEqual([4109, 'FRAME_TOO_LONG'])
  })

  it('closes before the end of a frame beyond 64 KB', async () => {
    const one = await connect()
    one.client.send(Buffer.alloc(60_000), { fin: false })
    one.client.send(Buffer.alloc(10_000), { fin: false })
    expect((await one.closed)[0]).toBe(1009)
  })

  it('accepts a command in fragments, with pings in between', async () => {
    const one = await connect()
    const frame = encode({ cmd: 'session', op: 'open', i: 1, peerId: 'tom' }, 'protobuf')
    for (let at = 0; at < frame.length; at++) {
      one.client.send(frame.subarray(at, at + 1), { fin: at === frame.length - 1 })
      one.client.ping()
    }
    await settled(one)
    expect(one.heard).toEqual([{ cmd: 'session', op: 'open', i: 1, peerId: 'tom' }])
  })
})

describe('a command whose work fails', () => {
  it.each([
    [
      'at once',
      () => {
        throw new Error('inner details')
      },
    ],
    ['later', () => Promise.reject(new Error('inner details'))],
  ])('responds to %s with 4200, and logs the details only', async (_when, fail) => {
    const one = await connect()
    one.connection.onCommand(fail)
    one.send({ cmd: 'conv', op: 'query', i: 0, peerId: 'tom' })
    await vi.waitFor(() => expect(one.received).toHaveLength(1), 10_000)
    expect(one.received[0]).toEqual({
      cmd: 'error',
      i: 0,
      peerId: 'tom',
      errorMessage: { code: 4200, reason: 'INTERNAL_ERROR' },
    })
    expect(logged.join()).toContain('inner details')
  })

  it('gets no response if none is expected', async () => {
    const one = await connect()
    one.connection.onCommand(() => Promise.reject(new Error('inner details')), isAnswered)
    one.send({ cmd: 'direct' }, { cmd: 'ack', i: 1 }, { cmd: 'read', i: 2 })
    await settled(one)
    expect(one.received).toEqual([{ cmd: 'echo', i: -4711 }])
    expect(logged.filter((line) => line.includes('inner details'))).toHaveLength(3)
  })
})

describe('at level debug each command is logged after it was performed', () => {
  const shown = () =>
    logged
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'command completed')
      .map(({ level, app, cmd, op, i, code, milliseconds }) => [level, app, cmd, op, i, code, milliseconds >= 0])

  it('logs its kind, its number and its error code, and none of its content', async () => {
    const one = await connect()
    one.connection.onCommand(async ({ cmd, i }) => {
      if (cmd === 'direct') one.connection.send({ cmd: 'ack', i, ackMessage: { code: 4301 } })
      else if (cmd === 'conv') one.connection.send({ cmd: 'error', i, errorMessage: { code: 4302, reason: 'no' } })
      else one.connection.send({ cmd: 'session', op: 'opened', i, sessionMessage: { st: 'a-secret-token' } })
    })
    const sessionMessage = { st: 'a-secret-token', s: 'a-secret-signature' }
    one.send({ cmd: 'session', op: 'open', i: 1, appId: 'app', peerId: 'a-private-name', sessionMessage })
    one.send({ cmd: 'direct', i: 2, directMessage: { msg: 'a-private-text' } })
    one.send({ cmd: 'conv', op: 'start', i: 3 }, { cmd: 'ack' })
    await settled(one)
    expect(shown()).toEqual([
      ['debug', 'app', 'session', 'open', 1, undefined, true],
      ['debug', 'app', 'direct', undefined, 2, 4301, true],
      ['debug', 'app', 'conv', 'start', 3, 4302, true],
      ['debug', 'app', 'ack', undefined, undefined, undefined, true],
    ])
    expect(logged.join()).not.toMatch(/secret|private/)
  })

  it('collects nothing at level info', async () => {
    const quiet = createLog('info', { write: (line) => void logged.push(line) })
    const debug = vi.spyOn(quiet, 'debug')
    const server = new RealtimeServer({ log: quiet, onConnection: (connection) => void accepted.push(connection) })
    const upgrades = createServer().listen(0, '127.0.0.1')
    server.attach(upgrades)
    await once(upgrades, 'listening')
    const client = new WebSocket(`ws://127.0.0.1:${(upgrades.address() as AddressInfo).port}`, 'lc.json.3')
    clients.push(client)
    await once(client, 'open')
    const performed = new Promise<void>((resolve) => accepted.pop()!.onCommand(async () => resolve()))
    client.send(JSON.stringify({ cmd: 'direct', i: 1, appId: 'app' }))
    await performed
    await server.stop()
    upgrades.close()
    expect(debug).not.toHaveBeenCalled()
  })
})

describe('a client that sends faster than its commands are performed', () => {
  it('has 200 in progress, and all others later, in order', async () => {
    const one = await connect()
    const begun: number[] = []
    const ends: (() => void)[] = []
    one.connection.onCommand(({ i }) => {
      begun.push(i!)
      return new Promise((resolve) => ends.push(resolve))
    })
    one.send(...queries(0, 2000))
    await vi.waitFor(() => expect(begun).toHaveLength(200), 10_000)
    // The socket has been read as far as it will be: a later command of another client has arrived.
    await settled(await connect())
    expect(begun).toHaveLength(200)
    const working = setInterval(() => {
      for (const end of ends.splice(0)) end()
    })
    await vi.waitFor(() => expect(begun).toHaveLength(2000), 10_000)
    clearInterval(working)
    expect(begun).toEqual(queries(0, 2000).map(({ i }) => i))
  })

  it('can be closed meanwhile: waiting commands are dropped, and its close frame is read', async () => {
    const one = await connect()
    const ends: (() => void)[] = []
    one.connection.onCommand(() => new Promise((resolve) => ends.push(resolve)))
    one.send(...queries(0, 2000))
    await vi.waitFor(() => expect(ends).toHaveLength(200), 10_000)
    const ended = vi.fn()
    void one.closed.then(ended)
    one.connection.close(4100, 'APP_NOT_AVAILABLE')
    await vi.waitFor(() => expect(ended).toHaveBeenCalledWith([4100, 'APP_NOT_AVAILABLE']), 10_000)
    for (const end of ends) end()
    await settled(await connect())
    expect(ends).toHaveLength(200)
  })
})

describe('the end of a connection', () => {
  it('passes the code of the server when the server closes it', async () => {
    const { connection, closed } = await connect()
    const ended = vi.fn()
    connection.onClose(ended)
    connection.send({ cmd: 'echo', i: 1 })
    connection.close(4115, 'KICKED_BY_APP')
    expect(ended.mock.calls).toEqual([[4115]])
    expect(connection.closed).toBe(true)
    expect(await closed).toEqual([4115, 'KICKED_BY_APP'])
    expect(ended).toHaveBeenCalledTimes(1)
  })

  it('passes the code of the client when the client closes it', async () => {
    const { connection, client } = await connect()
    const ended = vi.fn()
    connection.onClose(ended)
    client.close(3000)
    await vi.waitFor(() => expect(ended.mock.calls).toEqual([[3000]]), 10_000)
  })

  it('passes 1006 when the connection is lost', async () => {
    const { connection, client } = await connect()
    const ended = vi.fn()
    connection.onClose(ended)
    client.terminate()
    await vi.waitFor(() => expect(ended.mock.calls).toEqual([[1006]]), 10_000)
  })

  it('passes 1006 immediately when the client violates the protocol, and nothing is sent any more', async () => {
    const { connection, client, closed } = await connect()
    const ended = vi.fn()
    connection.onClose(ended)
    client.send(Buffer.alloc(70_000))
    // It does not even answer the close frame.
    client.pause()
    await vi.waitFor(() => expect(ended.mock.calls).toEqual([[1006]]), 10_000)
    connection.send({ cmd: 'echo' })
    client.resume()
    expect((await closed)[0]).toBe(1009)
  })

  it('reaches all listeners, even if one of them throws', async () => {
    const { connection } = await connect()
    connection.onClose(() => {
      throw new Error('not today')
    })
    const ended = vi.fn()
    connection.onClose(ended)
    connection.close(1000, '')
    expect(ended.mock.calls).toEqual([[1000]])
    expect(logged.join()).toContain('not today')
  })

  it('reaches later listeners immediately', async () => {
    const { connection } = await connect()
    connection.close(1000, '')
    const ended = vi.fn()
    connection.onClose(ended)
    expect(ended.mock.calls).toEqual([[1000]])
  })

  it('follows everything that was sent before, and is followed by nothing', async () => {
    const { connection, received, closed, send, heard: commands } = await connect()
    for (const echo of echoes(0, 3)) connection.send(echo)
    connection.close(1000, '')
    connection.send({ cmd: 'echo', i: 3 })
    connection.close(4100, 'again')
    send({ cmd: 'session', i: 1 })
    expect(await closed).toEqual([1000, ''])
    expect(received).toEqual(echoes(0, 3))
    expect(commands).toEqual([])
  })

  it('reaches a client that does not read, without what is waiting for it', async () => {
    const { connection, client } = await connect()
    const ended = vi.fn()
    connection.onClose(ended)
    client.pause()
    const command: GenericCommand = { cmd: 'direct', directMessage: { msg: 'x'.repeat(60_000) } }
    const sending = setInterval(() => {
      for (let count = 0; count < 20; count++) connection.send(command)
    })
    await vi.waitFor(() => expect(ended.mock.calls).toEqual([[1006]]), { timeout: 60_000 })
    clearInterval(sending)
    expect(logged.join()).toContain('slow client disconnected')
  })
})

describe('silence', () => {
  const timeouts = { login: 30_000, silence: 400_000 }
  const later = (time: number) => 1000 + time

  // The clock is mocked, so that the duration of the test itself does not count.
  beforeEach(() => void now.mockReturnValue(later(0)))
  afterEach(() => void now.mockImplementation(() => performance.now()))

  it('closes with 4108 after 30 s without a command that names an app', async () => {
    const one = await connect()
    one.send({ cmd: 'direct', i: 1 })
    await settled(one)
    one.connection.checkTimeouts(timeouts, later(29_000))
    expect(one.connection.closed).toBe(false)
    one.connection.checkTimeouts(timeouts, later(31_000))
    expect(await one.closed).toEqual([4108, 'LOGIN_TIMEOUT'])
  })

  it('closes with 4107 after 400 s, however much was sent before', async () => {
    const one = await connect()
    one.send({ cmd: 'login', appId: 'app' })
    await settled(one)
    one.connection.checkTimeouts(timeouts, later(399_000))
    expect(one.connection.closed).toBe(false)
    one.connection.checkTimeouts(timeouts, later(401_000))
    expect(await one.closed).toEqual([4107, 'READ_TIMEOUT'])
  })

  it.each([
    ['a ping', (client: WebSocket) => client.ping()],
    ['a pong', (client: WebSocket) => client.pong()],
    ['a command', (client: WebSocket) => client.send(encode({ cmd: 'echo', i: 1 }, 'protobuf'))],
  ])('is ended by %s', async (_name, speak) => {
    const one = await connect()
    const { client, connection } = one
    one.send({ cmd: 'login', appId: 'app' })
    await settled(one)
    now.mockClear()
    now.mockReturnValueOnce(later(300_000))
    speak(client)
    // The connection reads the clock when it receives something.
    await vi.waitUntil(() => now.mock.calls.length > 0, 10_000)
    connection.checkTimeouts(timeouts, later(699_000))
    expect(connection.closed).toBe(false)
    connection.checkTimeouts(timeouts, later(701_000))
    expect(connection.closed).toBe(true)
  })
})

describe('arbitrary frames', () => {
  const valid = fc.constantFrom<GenericCommand>(
    { cmd: 'session', op: 'open', i: 1, appId: 'app', peerId: 'tom', sessionMessage: { ua: 'x', r: false } },
    { cmd: 'direct', i: 2, directMessage: { cid: 'abc', msg: 'hello', mentionPids: ['a', 'b'] } },
    { cmd: 'read', readMessage: { convs: [{ cid: 'a', timestamp: 1 }] } },
  )
  const damage = fc.record({ at: fc.nat(), drop: fc.nat(3), put: fc.uint8Array({ maxLength: 3 }) })
  const frame = (encoding: Encoding) =>
    fc.oneof(
      valid.map((command) => Buffer.from(encode(command, encoding))),
      fc.tuple(valid, damage).map(([command, { at, drop, put }]) => {
        const bytes = Buffer.from(encode(command, encoding))
        return Buffer.concat([bytes.subarray(0, at % bytes.length), put, bytes.subarray((at % bytes.length) + drop)])
      }),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: 'binary', maxLength: 40 }).map((text) => Buffer.from(text)),
    )
  const message = (encoding: Encoding) =>
    fc.record({ bytes: frame(encoding), binary: fc.boolean(), cut: fc.option(fc.nat()), ping: fc.boolean() })

  /** The expected outcome of a frame. */
  function isReadable({ bytes, binary }: { bytes: Buffer; binary: boolean }, encoding: Encoding): boolean {
    if (encoding === 'json' && !binary && bytes.toString() === '{}') return true
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      decode(binary ? bytes : text.decode(bytes), encoding)
      return true
    } catch {
      return false
    }
  }

  it.each([
    ['lc.protobuf2.3', 'protobuf'],
    ['lc.proto2base64.3', 'base64'],
    ['lc.json.3', 'json'],
  ] as const)(
    'keep the connection open in %s, or close it with 4114 at the first frame that is not a command',
    async (subprotocol, encoding) => {
      await fc.assert(
        fc.asyncProperty(fc.array(message(encoding), { maxLength: 4 }), async (messages) => {
          const { client, closed, send, received } = await connect(subprotocol)
          for (const { bytes, binary, cut, ping } of messages) {
            if (cut !== null) client.send(bytes.subarray(0, cut % (bytes.length + 1)), { binary, fin: false })
            if (ping) client.ping()
            client.send(cut === null ? bytes : bytes.subarray(cut % (bytes.length + 1)), { binary })
          }
          const answered = new Promise((resolve) => {
            client.on('message', () => received.some(({ i }) => i === 4711) && resolve('answered'))
          })
          send({ cmd: 'echo', i: 4711 })
          const outcome = await Promise.race([closed, answered])
          const allReadable = messages.every((message) => isReadable(message, encoding))
          expect(outcome).toEqual(allReadable ? 'answered' : [4114, 'UNPARSEABLE_RAW_MESSAGE'])
          client.terminate()
        }),
        runs(150),
      )
    },
  )
})
