import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type IMClient, Realtime } from 'leancloud-realtime'
import { pino } from 'pino'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import type { Connection } from './connection.ts'
import { RealtimeServer } from './realtime-server.ts'

const http = createServer().listen(0, '127.0.0.1')
await once(http, 'listening')
const { port } = http.address() as AddressInfo
const connections: Connection[] = []
const commands: GenericCommand[] = []
let apps = 0

/** The part of the protocol that an official client needs to log in and query online clients. */
function answer(connection: Connection, command: GenericCommand): void {
  const { i, peerId = 'an id for anonymous clients', sessionMessage } = command
  commands.push(command)
  switch (command.op) {
    case 'open':
      connection.send({
        cmd: 'session',
        op: 'opened',
        i,
        peerId,
        serverTs: Date.now(),
        sessionMessage: { st: 'token', stTtl: 3600 },
      })
      break
    case 'query': {
      const onlineSessionPeerIds = sessionMessage!.sessionPeerIds!.filter((id) => id !== 'nobody')
      connection.send({ cmd: 'session', op: 'query_result', i, peerId, sessionMessage: { onlineSessionPeerIds } })
      break
    }
    case 'close':
      connection.send({ cmd: 'session', op: 'closed', i, peerId })
  }
}

const server = new RealtimeServer({
  log: pino({ level: 'silent' }),
  grace: 100,
  peerIdOf: () => 'tom',
  onConnection: (connection) => {
    connections.push(connection)
    connection.onCommand((command) => answer(connection, command))
  },
})
server.attach(http)

afterAll(async () => {
  await server.stop()
  http.close()
})

function realtime(noBinary: boolean): Realtime {
  // Declared separately, because the types of the SDK lack `noBinary`.
  const options = {
    // The SDK rejects a second registration of an app.
    appId: `app${++apps}`,
    appKey: 'key',
    server: `http://127.0.0.1:${port}`,
    RTMServers: `ws://127.0.0.1:${port}`,
    noBinary,
  }
  return new Realtime(options)
}

describe.each([
  ['binary', false],
  ['base64', true],
])('the official client in %s frames', (_kind, noBinary) => {
  it('logs in, gets the response to a query, and logs out', async () => {
    const client = (await realtime(noBinary).createIMClient('小明')) as IMClient
    expect(client.id).toBe('小明')
    const open = commands.findLast(({ op }) => op === 'open')!
    expect(open).toMatchObject({
      cmd: 'session',
      appId: `app${apps}`,
      peerId: '小明',
      sessionMessage: { r: false, configBitmap: 0xbb },
    })
    expect(connections.at(-1)).toMatchObject({
      appId: `app${apps}`,
      version: 3,
      encoding: noBinary ? 'base64' : 'protobuf',
    })
    expect(await client.ping(['tom', 'nobody', '小明'])).toEqual(['tom', '小明'])
    await client.close()
    await vi.waitFor(() => expect(connections.at(-1)!.closed).toBe(true), 10_000)
  })

  it('gets an id from the server when it has none', async () => {
    const client = await realtime(noBinary).createIMClient('')
    expect(client.id).toBe('an id for anonymous clients')
    await client.close()
  })

  it('reconnects after a goaway', async () => {
    const client = await realtime(noBinary).createIMClient('tom')
    const before = connections.length
    const reopened = new Promise<void>((resolve) => client.on('reconnect', () => resolve()))
    server.goAway()
    await reopened
    expect(connections.length).toBe(before + 1)
    expect(commands.findLast(({ op }) => op === 'open')!.sessionMessage).toMatchObject({ st: 'token', r: true })
    await client.close()
  })
})
