import { decode, encode } from '../../src/realtime-protocol/codec.ts'
import { type Client, checkAnswer, inChunks, logIn, logInMany, type Server } from './client.ts'
import type { Outcome, Run } from './crowd.ts'
import { fanOut } from './fan-out.ts'
import { textOf } from './text.ts'

/** A chat room with members on separate connections, and a sender. */
export interface RoomSpec extends Server {
  readonly kind: 'room'
  readonly members: number
}

export async function gatherRoom(spec: RoomSpec): Promise<(run: Run) => Promise<Outcome>> {
  const sender = await logIn(spec, 'sender')
  const cid = await openRoom(sender)
  const members = await logInMany(spec, 'member', spec.members)
  await inChunks(members.length, (n) => join(members[n]!, cid))
  return fanOut({
    sender: sender.socket,
    receivers: members.map(({ socket }) => socket),
    sending: (number) =>
      encode({ cmd: 'direct', i: number + 1, directMessage: { cid, msg: textOf(number) } }, 'protobuf'),
    acknowledged: (payload) => {
      const answer = checkAnswer(decode(payload, 'protobuf'))
      if (answer.cmd !== 'ack' || answer.i === undefined) throw new Error(`The sender is told ${answer.cmd}.`)
      return answer.i - 1
    },
  })
}

/** Creates a room, whose creator is a member (protocol/realtime, Chat rooms). */
async function openRoom(sender: Client): Promise<string> {
  const attr = { data: '{"name":"Room of the benchmark"}' }
  const { convMessage } = await sender.request({ cmd: 'conv', op: 'start', convMessage: { transient: true, attr } })
  return convMessage!.cid!
}

async function join(member: Client, cid: string): Promise<void> {
  const { convMessage } = await member.request({ cmd: 'conv', op: 'add', convMessage: { cid, m: [member.id] } })
  if (!convMessage?.allowedPids?.includes(member.id)) throw new Error('A member is not let into the room.')
}
