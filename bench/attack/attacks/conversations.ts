import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import type { Chat } from '../chat.ts'

/** Clients that are members of all conversations of an attack. */
const CROWD = Array.from({ length: 20 }, (_, n) => `crowd-${process.pid}-${n}`)
const CONVERSATIONS = 10_000
const MAKERS = 20

type Command = Parameters<Chat['request']>[0]

/** The creators of the conversations, also their members. */
let makers: { id: string; chat: Chat; cids: string[] }[] = []
let serial = 0

/** Logs clients in, each on a separate connection. */
function clients(attacker: Attacker, count: number): Promise<{ id: string; chat: Chat }[]> {
  return attacker.many(count, 20, async () => {
    const id = `many-${process.pid}-${serial++}`
    const chat = await attacker.chat()
    await chat.open(id)
    return { id, chat }
  })
}

/** Sends a command and counts the result. */
async function attempt(attacker: Attacker, chat: Chat, command: Command): Promise<void> {
  await chat.request(command).then(
    () => attacker.count(`${command.cmd} answered`),
    (error: Error) => {
      attacker.count(error.message)
      return sleep(5)
    },
  )
}

/** Creates many conversations of the crowd, with a message in each. */
async function fill(attacker: Attacker, members: readonly string[]): Promise<void> {
  makers = (await clients(attacker, MAKERS)).map((maker) => ({ ...maker, cids: [] }))
  await attacker.many(CONVERSATIONS, MAKERS * 4, async (n) => {
    const { chat, cids } = makers[n % makers.length]!
    const cid = await chat.start(members)
    await chat.request({ cmd: 'direct', directMessage: { cid, msg: 'x'.repeat(200) } })
    cids.push(cid)
  })
}

export const CONVERSATION_ATTACKS: readonly Attack[] = [
  {
    name: 'crowded-clients',
    what: 'clients of 10 000 unread conversations each that log in, ask for all of them and leave, on 40 connections',
    prepare: (attacker) => fill(attacker, CROWD),
    run: (attacker) =>
      attacker.flood(40, async (n) => {
        const chat = await attacker.chat().catch(() => null)
        if (!chat) return void (await sleep(20))
        const id = CROWD[n % CROWD.length]!
        await chat.open(id).then(
          () => attacker.count('logged in'),
          (error: Error) => attacker.count(error.message),
        )
        await attempt(attacker, chat, { cmd: 'conv', op: 'query', convMessage: { limit: 1000, flag: 2 } })
        chat.end()
      }),
  },
  {
    name: 'many-conversations',
    what: 'messages to 10 000 conversations of 20 members in turn, and members that join and leave, from 20 clients',
    prepare: (attacker) => fill(attacker, CROWD),
    run: (attacker) =>
      attacker.flood(MAKERS * 10, async (n) => {
        const { chat, cids } = makers[n % makers.length]!
        const cid = cids[Math.floor(n / makers.length) % cids.length]!
        const m = [`guest-${n % 100}`]
        await attempt(attacker, chat, { cmd: 'direct', directMessage: { cid, msg: 'x'.repeat(1000) } })
        if (n % 3 !== 0) return
        await attempt(attacker, chat, { cmd: 'conv', op: 'add', convMessage: { cid, m } })
        await attempt(attacker, chat, { cmd: 'conv', op: 'remove', convMessage: { cid, m } })
      }),
  },
  {
    name: 'large-attributes',
    what: 'attributes of conversations of 500 members that grow by 12 KB with each change, and are asked for, from 20 clients',
    run: async (attacker) => {
      const senders = await clients(attacker, MAKERS)
      const absent = Array.from({ length: 400 }, (_, n) => `large-${process.pid}-${n}`)
      const ids = senders.map(({ id }) => id)
      const cids = await attacker.many(4, 4, (n) => senders[n]!.chat.start([...ids, ...absent]))
      const part = 'x'.repeat(12_000)
      await attacker.flood(MAKERS * 10, async (n) => {
        const { chat } = senders[n % senders.length]!
        const cid = cids[n % cids.length]!
        const data = JSON.stringify({ [`attr.part${n}`]: part })
        await attempt(attacker, chat, { cmd: 'conv', op: 'update', convMessage: { cid, attr: { data } } })
        await attempt(attacker, chat, { cmd: 'direct', directMessage: { cid, msg: 'x' } })
        const where = { data: JSON.stringify({ objectId: { $in: cids } }) }
        if (n % 5 === 0)
          await attempt(attacker, chat, { cmd: 'conv', op: 'query', convMessage: { where, limit: 1000 } })
      })
    },
  },
  {
    name: 'members-in-turn',
    what: 'joining and leaving conversations of 400 members, and asking who is in them, from 50 clients',
    run: async (attacker) => {
      const joiners = await clients(attacker, 50)
      const absent = Array.from({ length: 390 }, (_, n) => `absent-${process.pid}-${n}`)
      const cids = await attacker.many(20, 10, (n) => joiners[n]!.chat.start(absent))
      await attacker.flood(joiners.length * 4, async (n) => {
        const { id, chat } = joiners[n % joiners.length]!
        const cid = cids[n % cids.length]!
        await attempt(attacker, chat, { cmd: 'conv', op: 'add', convMessage: { cid, m: [id] } })
        await attempt(attacker, chat, { cmd: 'conv', op: 'count', convMessage: { cid } })
        const where = { data: JSON.stringify({ m: absent[n % absent.length] }) }
        await attempt(attacker, chat, { cmd: 'conv', op: 'query', convMessage: { where, limit: 100 } })
        await attempt(attacker, chat, { cmd: 'conv', op: 'remove', convMessage: { cid, m: [id] } })
      })
    },
  },
]
