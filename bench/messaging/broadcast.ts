import { decode, encode } from '../../src/realtime-protocol/codec.ts'
import { inChunks } from './client.ts'
import { connect } from './client-socket.ts'
import type { Outcome, Run } from './crowd.ts'
import { fanOut } from './fan-out.ts'
import { numberIn, textOf } from './text.ts'

/** The same as a room, around a bare broadcaster, which repeats to everyone what anyone says. */
export interface BroadcastSpec {
  readonly kind: 'broadcast'
  readonly url: string
  readonly members: number
}

/**
 * The sender says what Homeport would tell the members, so that what arrives is of the same length and is read in the
 * same way. What it hears of itself is its acknowledgement.
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
 * What one member of a room receives (protocol/realtime, Delivery: direct push), with ids of the lengths that they have
 * there.
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
