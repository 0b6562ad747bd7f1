import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import { type Attacker, rawRequest } from '../attacker.ts'
import type { Chat } from '../chat.ts'

const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol': 'lc.protobuf2.3',
}

let serial = 0
const nextId = () => `attacker-${process.pid}-${serial++}`

/** Logs a client in. */
async function client(attacker: Attacker): Promise<{ id: string; chat: Chat }> {
  const id = nextId()
  const chat = await attacker.chat()
  await chat.open(id)
  return { id, chat }
}

/** Repeats a command on each chat with a given concurrency, and counts the results. */
function insist(
  attacker: Attacker,
  chats: readonly Chat[],
  atOnce: number,
  command: (n: number) => Parameters<Chat['request']>[0],
) {
  let n = 0
  return Promise.all(
    chats.flatMap((chat) =>
      Array.from({ length: atOnce }, async () => {
        while (!attacker.stopped && chat.isOpen) {
          await chat.request(command(n++)).then(
            () => attacker.count('answered'),
            (error: Error) => {
              attacker.count(error.message)
              return sleep(5)
            },
          )
        }
      }),
    ),
  )
}

/** Opens a WebSocket whose frames are written manually. */
function bareWebSocket(attacker: Attacker) {
  const socket = attacker.socket()
  socket.write(rawRequest('GET', '/', HANDSHAKE))
  socket.on('data', (chunk) => {
    if (chunk.toString('latin1', 0, 5) === 'HTTP/') attacker.count(chunk.toString('latin1', 9, 12))
  })
  return socket
}

/** Waits until the socket can send more, or for a timeout. */
async function drained(socket: Socket): Promise<void> {
  const late = new AbortController()
  await Promise.race([once(socket, 'drain', { signal: late.signal }), sleep(500, null, { signal: late.signal })])
    .catch(() => {})
    .finally(() => late.abort())
}

/**
 * Returns a masked frame.
 * @param first flags and opcode
 */
function frame(first: number, payload: Buffer): Buffer {
  const head =
    payload.length < 126
      ? Buffer.from([first, 0x80 | payload.length])
      : Buffer.from([first, 0xfe, payload.length >> 8, payload.length & 255])
  return Buffer.concat([head, Buffer.alloc(4), payload])
}

export const MESSAGING_ATTACKS: readonly Attack[] = [
  {
    name: 'connections',
    what: '5 000 WebSockets, each with a session',
    run: async (attacker) => {
      const chats = await attacker.many(5000, 64, async () => (await client(attacker)).chat)
      attacker.count('sessions', chats.length)
      await attacker.untilStopped()
    },
  },
  {
    name: 'sessions',
    what: '20 000 sessions on a few connections',
    run: async (attacker) => {
      const chats = await attacker.many(8, 8, () => attacker.chat())
      await attacker.many(20_000, 64, async (n) => {
        await chats[n % chats.length]!.open(nextId())
        attacker.count('sessions')
      })
      await attacker.untilStopped()
    },
  },
  {
    name: 'returning',
    what: 'sessions that are opened and closed again, over 64 connections',
    run: (attacker) =>
      attacker.flood(64, async () => {
        const made = await client(attacker).catch((error: Error) => {
          attacker.count(error.message)
          return sleep(20)
        })
        if (!made) return
        attacker.count('sessions')
        made.chat.end()
      }),
  },
  {
    name: 'handshakes',
    what: 'WebSockets that are opened and closed, or refused',
    run: (attacker) =>
      attacker.flood(128, async () => {
        const socket = bareWebSocket(attacker)
        await new Promise((resolve) => {
          socket.once('data', resolve)
          socket.once('close', resolve)
        })
        socket.destroy()
      }),
  },
  {
    name: 'frames',
    what: 'fragments that never end, frames of 64 KB, pings and empty frames without a pause',
    run: async (attacker) => {
      const fill = [
        // A message with an endless number of fragments.
        { first: frame(0x02, randomBytes(10)), more: frame(0x00, Buffer.alloc(0)) },
        { first: frame(0x02, randomBytes(10)), more: frame(0x00, randomBytes(100)) },
        { first: Buffer.alloc(0), more: frame(0x89, randomBytes(125)) },
        { first: Buffer.alloc(0), more: frame(0x82, Buffer.alloc(0)) },
        { first: Buffer.alloc(0), more: frame(0x82, randomBytes(60_000)) },
        { first: Buffer.alloc(0), more: frame(0x82, Buffer.from([8, 12, 32, 1])) },
      ]
      await attacker.flood(60, async (n) => {
        const socket = bareWebSocket(attacker)
        const { first, more } = fill[n % fill.length]!
        const chunk = Buffer.concat(Array.from({ length: more.length > 1000 ? 4 : 200 }, () => more))
        await new Promise((resolve) => {
          socket.once('data', resolve)
          socket.once('close', resolve)
        })
        socket.write(first)
        while (!attacker.stopped && !socket.destroyed) {
          const goesOn = socket.write(chunk)
          if (!goesOn) await drained(socket)
        }
        socket.destroy()
      })
    },
  },
  {
    name: 'unread-echoes',
    what: 'commands whose answers are never read, over 500 connections',
    run: async (attacker) => {
      const echo = frame(0x82, Buffer.from([8, 13, 32, 1]))
      const ping = frame(0x89, randomBytes(125))
      const chunk = Buffer.concat(Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? echo : ping)))
      await attacker.flood(500, async () => {
        const socket = bareWebSocket(attacker)
        await new Promise((resolve) => {
          socket.once('data', resolve)
          socket.once('close', resolve)
        })
        socket.pause()
        while (!attacker.stopped && !socket.destroyed) {
          const goesOn = socket.write(chunk)
          if (!goesOn) await drained(socket)
        }
        socket.destroy()
      })
    },
  },
  {
    name: 'room',
    what: 'a room of 300 own clients, of which half do not read, and all of which write to it',
    run: async (attacker) => {
      const members = await attacker.many(300, 32, () => client(attacker))
      if (members.length === 0) return
      const cid = await members[0]!.chat.start([], true)
      await attacker.many(members.length, 32, async (n) => {
        const { id, chat } = members[n]!
        await chat.request({ cmd: 'conv', op: 'add', convMessage: { cid, m: [id] } })
        if (n % 2 === 1) chat.websocket.pause()
      })
      const writers = members.filter((_, n) => n % 2 === 0).map(({ chat }) => chat)
      const msg = 'x'.repeat(4000)
      await insist(attacker, writers, 20, () => ({ cmd: 'direct', directMessage: { cid, msg } }))
    },
  },
  {
    name: 'messages',
    what: 'messages to one conversation of 500 absent members, from 20 clients',
    run: async (attacker) => {
      const members = await attacker.many(20, 20, () => client(attacker))
      if (members.length === 0) return
      const absent = Array.from({ length: 470 }, (_, n) => `absent-${process.pid}-${n}`)
      const cid = await members[0]!.chat.start([...members.map(({ id }) => id), ...absent])
      const msg = 'x'.repeat(4000)
      await insist(
        attacker,
        members.map(({ chat }) => chat),
        50,
        () => ({ cmd: 'direct', directMessage: { cid, msg } }),
      )
    },
  },
  {
    name: 'conversations',
    what: 'new conversations of 500 members each, from 20 clients',
    run: async (attacker) => {
      const makers = await attacker.many(20, 20, () => client(attacker))
      await insist(
        attacker,
        makers.map(({ chat }) => chat),
        20,
        (n) => ({
          cmd: 'conv',
          op: 'start',
          convMessage: {
            m: Array.from({ length: 490 }, (_, m) => `member-${n}-${m}`),
            attr: { data: JSON.stringify({ name: 'x'.repeat(1000), attr: { n } }) },
          },
        }),
      )
    },
  },
  {
    name: 'history',
    what: 'histories and conditions on conversations, from 50 clients',
    run: async (attacker) => {
      const readers = await attacker.many(50, 20, () => client(attacker))
      if (readers.length === 0) return
      const cid = await readers[0]!.chat.start(readers.map(({ id }) => id))
      const msg = 'x'.repeat(4000)
      for (let n = 0; n < 200; n++) {
        await readers[0]!.chat.request({ cmd: 'direct', directMessage: { cid, msg } }).catch(() => {})
      }
      await insist(
        attacker,
        readers.map(({ chat }) => chat),
        20,
        (n) =>
          n % 2 === 0
            ? { cmd: 'logs', logsMessage: { cid, l: 1000, limit: 1000 } }
            : {
                cmd: 'conv',
                op: 'query',
                convMessage: {
                  where: { data: JSON.stringify({ name: { $regex: `a.*${n}.*z` }, m: { $ne: 'x' } }) },
                  limit: 100,
                  sort: '-lm',
                  flag: 2,
                },
              },
      )
    },
  },
]
