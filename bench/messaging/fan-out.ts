import { decode } from '../../src/realtime-protocol/codec.ts'
import type { ClientSocket } from './client-socket.ts'
import type { Outcome, Run } from './crowd.ts'
import { outcomeOf } from './outcome.ts'
import { numberIn } from './text.ts'

/** One who sends to many. */
export interface Group {
  readonly sender: ClientSocket
  readonly receivers: readonly ClientSocket[]
  /** The command that sends the message with this number. */
  sending(number: number): Uint8Array
  /** The number of the message that a frame to the sender acknowledges. @throws Error when it says something else */
  acknowledged(payload: Buffer): number
}

/** Of so many frames to a receiver one is read; of the others it is enough that they are messages. */
const READ_EVERY = 50
/**
 * How a frame with a message begins: the field `cmd`, and its value `direct` (protocol/realtime, GenericCommand;
 * protocol/realtime, CommandType).
 */
const DIRECT = [0x08, 0x02] as const

/**
 * Lets the sender keep messages under way, each until every receiver has it and the sender its acknowledgement. What one
 * sends arrives in order (protocol/realtime, Delivery: direct push), so a receiver knows a message by counting.
 */
export function fanOut({ sender, receivers, sending, acknowledged }: Group): (run: Run) => Promise<Outcome> {
  /** Numbers go on from run to run. */
  let first = 0
  return ({ seconds, inFlight }) =>
    new Promise((resolve) => {
      const sentAt: number[] = []
      /** Of each message, who still waits for it: the receivers, and the sender. */
      const missing: number[] = []
      const latencies: number[] = []
      let underWay = 0
      let bytes = 0
      const began = performance.now()
      const end = began + seconds * 1000

      const send = () => {
        const payload = sending(first + sentAt.length)
        sentAt.push(performance.now())
        missing.push(receivers.length + 1)
        underWay++
        sender.send(payload)
      }
      const arrived = (index: number) => {
        if (--missing[index]! > 0) return
        underWay--
        if (performance.now() < end) send()
        else if (underWay === 0) {
          first += sentAt.length
          resolve(outcomeOf({ acknowledged: sentAt.length, latencies, began, bytes }))
        }
      }
      for (const receiver of receivers) {
        let received = 0
        receiver.onFrame = (payload) => {
          const index = received++
          if (index >= sentAt.length) throw new Error('A message has arrived twice.')
          checkFrame(payload, first + index, index % READ_EVERY === 0)
          latencies.push(performance.now() - sentAt[index]!)
          bytes = payload.length
          arrived(index)
        }
      }
      sender.onFrame = (payload) => arrived(acknowledged(payload) - first)
      for (let started = 0; started < inFlight; started++) send()
    })
}

function checkFrame(payload: Buffer, expected: number, read: boolean): void {
  if (!read && payload[0] === DIRECT[0] && payload[1] === DIRECT[1]) return
  const { cmd, directMessage } = decode(payload, 'protobuf')
  if (cmd !== 'direct') throw new Error(`A receiver is told ${cmd} where a message belongs.`)
  const number = numberIn(directMessage?.msg)
  if (number !== expected) throw new Error(`Message ${number} has arrived in the place of message ${expected}.`)
}
