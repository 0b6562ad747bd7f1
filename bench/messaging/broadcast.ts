import { decode, encode } from '../../src/realtime-protocol/codec.ts'
import { inChunks } from './client.ts'
import { connect } from './client-socket.ts'
import type { Outcome, Run } from './crowd.ts'
import { fanOut } from './fan-out.ts'
import { numberIn, textOf } from './text.ts'

/** The equivalent of a room on a bare broadcaster, which repeats every message to everyone. */
export interface BroadcastSpec {
  readonly kind: 'broadcast'
  readonly url: string
  readonly members: number
}

/**
 * Connects the clients. The sender sends what Homeport would deliver to members, so that messages have the same length and are
 * parsed in the same way. It treats its own message as the acknowledgment.
 */
export async function gatherBroadcast({ url, members }: BroadcastSpec): Promise<(run: Run) => Promise<Outcome>> {
  const sender = await connect(url, 'bare')
  const receivers = await inChunks(members, () => connect(url, 'bare'))
  return fanOut({
    sender,
    receivers,
    sending: delivery,
    acknowledged: (payload) => numberIn(decode(payload, 'protobuf').directMessage?.msg),
  })
}

/**
 * Returns the delivery that a member of a room receives (protocol/realtime, Delivery: direct push), with ids of realistic
 * length.
 */
function delivery(number: number): Uint8Array {
  const directMessage = {
    cid: '0'.repeat(24),
    id: '0'.repeat(22),
    fromPeerId: 'sender',
    timestamp: Date.now(),
    msg: textOf(number),
    convType: 2,
  }
  return encode({ cmd: 'direct', directMessage, peerId: 'member-00000' }, 'protobuf')
}
