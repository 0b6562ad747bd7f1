import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { type Client, checkAnswer, inChunks, logInMany, type Server } from './client.ts'
import type { Outcome, Run } from './crowd.ts'
import { outcomeOf } from './outcome.ts'
import { textOf } from './text.ts'

/** Conversations of two whose members send to each other, each on a separate connection. */
export interface PairsSpec extends Server {
  readonly kind: 'pairs'
  readonly pairs: number
}

/** One direction of a conversation. */
interface Direction {
  readonly from: Client
  readonly to: Client
  readonly cid: string
  /** The pending messages, which arrive in order (protocol/realtime, Delivery: direct push). */
  readonly underWay: { readonly text: string; readonly at: number }[]
  /** The times of the first and last unacknowledged message of the receiver; null without any. */
  unacknowledged: { readonly fromts: number; readonly tots: number } | null
}

/**
 * A client acknowledges received messages once per second (protocol/realtime, Client acknowledgement); the clients are spread
 * over the second.
 */
const ACKNOWLEDGING = { interval: 20, steps: 50 } as const

export async function gatherPairs(spec: PairsSpec): Promise<(run: Run) => Promise<Outcome>> {
  const directions = await openPairs(spec)
  let step = 0
  setInterval(() => {
    step = (step + 1) % ACKNOWLEDGING.steps
    for (let n = step; n < directions.length; n += ACKNOWLEDGING.steps) acknowledge(directions[n]!)
  }, ACKNOWLEDGING.interval)
  return (run) => converse(directions, run)
}

async function openPairs(spec: PairsSpec): Promise<Direction[]> {
  const left = await logInMany(spec, 'left', spec.pairs)
  const right = await logInMany(spec, 'right', spec.pairs)
  const pairs = await inChunks(spec.pairs, async (n): Promise<Direction[]> => {
    const [one, other] = [left[n]!, right[n]!]
    const convMessage = { m: [one.id, other.id], unique: true, attr: { data: '{}' } }
    const { cid } = (await one.request({ cmd: 'conv', op: 'start', convMessage })).convMessage!
    return [
      { from: one, to: other, cid: cid!, underWay: [], unacknowledged: null },
      { from: other, to: one, cid: cid!, underWay: [], unacknowledged: null },
    ]
  })
  return pairs.flat()
}

/** Lets every client send the next message after an acknowledgment; resolves when all have arrived. */
function converse(directions: readonly Direction[], { seconds, inFlight }: Run): Promise<Outcome> {
  return new Promise((resolve) => {
    const latencies: number[] = []
    let [sent, acknowledged, bytes] = [0, 0, 0]
    const began = performance.now()
    const end = began + seconds * 1000

    const endIfDone = () => {
      if (acknowledged === sent && latencies.length === sent && performance.now() >= end)
        resolve(outcomeOf({ acknowledged, latencies, began, bytes }))
    }
    const send = (direction: Direction) => {
      const { from, cid, underWay } = direction
      const text = textOf(sent++)
      underWay.push({ text, at: performance.now() })
      from.sendCommand({ cmd: 'direct', directMessage: { cid, msg: text } }, (answer) => {
        checkAnswer(answer)
        acknowledged++
        if (performance.now() < end) send(direction)
        else endIfDone()
      })
    }
    for (const direction of directions) {
      direction.to.onPush = (command) => {
        if (command.cmd !== 'direct') return
        latencies.push(performance.now() - receive(direction, command))
        bytes = Buffer.byteLength(command.directMessage!.msg!)
        endIfDone()
      }
    }
    for (const direction of directions) for (let started = 0; started < inFlight; started++) send(direction)
  })
}

/**
 * @returns the time when the message was sent
 * @throws Error when it is not the next message
 */
function receive(direction: Direction, { directMessage }: GenericCommand): number {
  const next = direction.underWay.shift()
  if (!next || directMessage?.msg !== next.text) throw new Error('A message has arrived twice, late, or changed.')
  const ts = directMessage.timestamp!
  direction.unacknowledged = { fromts: direction.unacknowledged?.fromts ?? ts, tots: ts }
  return next.at
}

function acknowledge(direction: Direction): void {
  const { to, cid, unacknowledged } = direction
  if (!unacknowledged) return
  direction.unacknowledged = null
  to.send({ cmd: 'ack', ackMessage: { cid, ...unacknowledged } })
}
