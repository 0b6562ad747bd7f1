import { decode } from '../../src/realtime-protocol/codec.ts'
import type { ClientSocket } from './client-socket.ts'
import type { Outcome, Run } from './crowd.ts'
import { outcomeOf } from './outcome.ts'
import { numberIn } from './text.ts'

/** One sender and its receivers. */
export interface Group {
  readonly sender: ClientSocket
  readonly receivers: readonly ClientSocket[]
  /** Returns the command that sends the message with this number. */
  sending(number: number): Uint8Array
  /**
   * Returns the number of the message that a frame to the sender acknowledges.
   * @throws Error when it is not an acknowledgment
   */
  acknowledged(payload: Buffer): number
}

/** A receiver decodes one frame in so many; of the others it checks only that they are messages. */
const READ_EVERY = 50
/**
 * The first bytes of a frame with a message: the field `cmd` with the value `direct` (protocol/realtime, GenericCommand;
 * protocol/realtime, CommandType).
 */
const DIRECT = [0x08, 0x02] as const

/**
 * Keeps a number of messages pending, each until every receiver has it and the sender its acknowledgment. Messages of one sender
 * arrive in order (protocol/realtime, Delivery: direct push), so a receiver identifies them by counting.
 */
export function fanOut({ sender, receivers, sending, acknowledged }: Group): (run: Run) => Promise<Outcome> {
  /** Numbers continue across runs. */
  let first = 0
  return ({ seconds, inFlight }) =>
    new Promise((resolve) => {
      const sentAt: number[] = []
      /** The outstanding arrivals of each message: the receivers, and the sender. */
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
