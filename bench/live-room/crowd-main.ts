import { setTimeout as sleep } from 'node:timers/promises'
import { decode } from '../../src/realtime-protocol/codec.ts'
import { percentile } from '../statistics.ts'
import { Member, type Server } from './member.ts'

/** The process of the crowd: its members join one chat room, and some of them send messages on command. */
export type Order =
  | { readonly kind: 'gather'; readonly server: Server; readonly members: number }
  | { readonly kind: 'talk'; readonly seconds: number; readonly rate: number }

export interface Gathered {
  readonly members: number
  /** The reasons and number of members that failed to join. */
  readonly refused: readonly (readonly [string, number])[]
  /** Members that joined per second. */
  readonly perSecond: number
}

export interface Talked {
  readonly sent: number
  /** Messages rejected by the server, by reason. */
  readonly refused: readonly (readonly [string, number])[]
  readonly expected: number
  readonly delivered: number
  /** Missing deliveries of acknowledged messages. */
  readonly lost: number
  /** Members whose connection closed meanwhile. */
  readonly disconnected: number
  /** Milliseconds from sending to arrival, for a sample of the members. */
  readonly p50: number
  readonly p99: number
  /** Milliseconds from the last message to its last arrival. */
  readonly delayed: number
}

/** Members that send messages. */
const SENDERS = 20
const LOGINS_AT_ONCE = 100
/** One member in so many decodes received messages, and reports their latency. */
const SAMPLE = 100
/** Interval of keep-alive pings of each member, in milliseconds. */
const PING_MS = 120_000
/** Timeout without arrivals in milliseconds; missing messages count as lost. */
const QUIET_MS = 10_000

const senders: Member[] = []
const members: Member[] = []
let room = ''
let latencies: number[] = []
let arrivedAt = 0

process.on('message', async (order: Order) => {
  process.send!(order.kind === 'gather' ? await gather(order) : await talk(order))
})
setInterval(() => {
  for (const member of [...senders, ...members]) member.ping()
}, PING_MS).unref()
process.on('disconnect', () => process.exit())

async function gather({ server, members: wanted }: Extract<Order, { kind: 'gather' }>): Promise<Gathered> {
  const began = performance.now()
  const refused = new Map<string, number>()
  const enter = async (name: string, into: Member[]) => {
    try {
      const member = await Member.logIn(name, server)
      if (room === '') room = await member.makeRoom()
      await member.enter(room)
      into.push(member)
    } catch (error) {
      count(refused, (error as Error).message)
    }
  }
  for (let n = 0; n < SENDERS; n++) await enter(`sender-${String(n).padStart(5, '0')}`, senders)
  let next = 0
  const worker = async () => {
    while (next < wanted) await enter(`member-${String(next++).padStart(5, '0')}`, members)
  }
  await Promise.all(Array.from({ length: LOGINS_AT_ONCE }, worker))
  for (const [n, member] of members.entries()) {
    if (n % SAMPLE === 0) member.onMessage = observe
  }
  const elapsed = performance.now() - began
  return { members: members.length, refused: [...refused], perSecond: (members.length * 1000) / elapsed }
}

async function talk({ seconds, rate }: Extract<Order, { kind: 'talk' }>): Promise<Talked> {
  for (const member of members) member.received = 0
  latencies = []
  const refused = new Map<string, number>()
  let acknowledged = 0
  const began = performance.now()
  const sending: Promise<void>[] = []
  const send = async (n: number) => {
    const msg = JSON.stringify({ _lctype: -1, _lctext: 'About as long as what people write.', at: performance.now() })
    try {
      await senders[n % senders.length]!.request({ cmd: 'direct', directMessage: { cid: room, msg } })
      acknowledged++
    } catch (error) {
      count(refused, (error as Error).message)
    }
  }
  let sent = 0
  while (sent < seconds * rate) {
    const due = began + (sent * 1000) / rate
    const wait = due - performance.now()
    if (wait > 0) await sleep(wait)
    sending.push(send(sent++))
  }
  const last = performance.now()
  await Promise.all(sending)
  await untilArrived(() => acknowledged * members.length)
  const expected = acknowledged * members.length
  const delivered = total()
  const sorted = Float64Array.from(latencies).sort()
  return {
    sent,
    refused: [...refused],
    expected,
    delivered,
    lost: members.reduce((sum, { received }) => sum + Math.max(0, acknowledged - received), 0),
    disconnected: members.filter(({ ended }) => ended !== null).length,
    p50: percentile(sorted, 0.5) ?? 0,
    p99: percentile(sorted, 0.99) ?? 0,
    delayed: Math.max(0, arrivedAt - last),
  }
}

async function untilArrived(expected: () => number): Promise<void> {
  let before = total()
  arrivedAt = performance.now()
  while (before < expected() && performance.now() - arrivedAt < QUIET_MS) {
    await sleep(100)
    const now = total()
    if (now > before) arrivedAt = performance.now()
    before = now
  }
}

function total(): number {
  return members.reduce((sum, { received }) => sum + received, 0)
}

function observe(payload: Buffer): void {
  const { directMessage } = decode(payload, 'protobuf')
  const { at } = JSON.parse(directMessage!.msg!) as { at: number }
  latencies.push(performance.now() - at)
}

function count(tally: Map<string, number>, what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1)
}
