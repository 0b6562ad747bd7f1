import { maxRead, type Progress } from '../../messaging/reading/max-read.ts'
import { acknowledge, markRead, type Received } from '../../messaging/reading/reads.ts'
import type { AckCommand, MaxReadTuple } from '../../realtime-protocol/schema.ts'
import type { Perform } from './perform.ts'

/** ack — the client has received messages (protocol/realtime, Client acknowledgement). Nobody answers. */
export const noteReceived: Perform = async ({ messaging, clientId, offlineMessages }, { ackMessage = {} }) => {
  const received = receivedIn(ackMessage)
  if (!received) return null
  if (offlineMessages) await offlineMessages.acknowledge(received)
  else await acknowledge(messaging, clientId, received)
  return null
}

function receivedIn({ cid, mid, fromts, tots }: AckCommand): Received | null {
  if (cid === undefined) return null
  if (mid !== undefined) return { convId: cid, messageId: mid }
  return tots === undefined ? null : { convId: cid, from: fromts ?? null, to: tots }
}

/**
 * read — the client has read conversations (protocol/realtime, Read). Nobody answers, not even when there is an `i`.
 */
export const noteRead: Perform = async ({ messaging, clientId }, { readMessage = {} }) => {
  const { cid, cids = cid === undefined ? [] : [cid], convs = cids.map((id) => ({ cid: id })) } = readMessage
  const reads = convs.map((tuple) => ({
    convId: tuple.cid,
    messageId: ('mid' in tuple && tuple.mid) || null,
    ts: ('timestamp' in tuple && tuple.timestamp) || null,
  }))
  await markRead(messaging, clientId, reads)
  return null
}

/** conv/max_read — how far the other members have received and read (protocol/realtime, Other conversation queries). */
export const answerMaxRead: Perform = async (session, { convMessage = {} }) => {
  const { cid = '', queryAllMembers } = convMessage
  const { members, ...furthest } = await maxRead(session.messaging, session, cid)
  return {
    cmd: 'conv',
    op: 'max_read',
    convMessage: {
      cid,
      ...timesOf(furthest),
      ...(queryAllMembers && {
        maxReadTuples: members.map((member): MaxReadTuple => ({ pid: member.clientId, ...timesOf(member) })),
      }),
    },
  }
}

/** What never happened is left out. */
function timesOf({ received, read }: Progress): Pick<MaxReadTuple, 'maxAckTimestamp' | 'maxReadTimestamp'> {
  return {
    ...(received !== null && { maxAckTimestamp: received }),
    ...(read !== null && { maxReadTimestamp: read }),
  }
}
