import { maxRead, type Progress } from '../../messaging/reading/max-read.ts'
import { acknowledge, markRead, type Received } from '../../messaging/reading/reads.ts'
import type { AckCommand, MaxReadTuple } from '../../realtime-protocol/schema.ts'
import { command } from './command.ts'
import { acknowledgeInstallation } from './login.ts'

/** ack — marks messages as received (protocol/realtime, Client acknowledgement). */
export const noteReceived = command({
  cmd: 'ack',
  op: null,
  rate: null,
  notifies: null,
  answered: false,
  withoutSession: acknowledgeInstallation,
  async handler({ messaging, clientId, offlineMessages }, { ackMessage = {} }) {
    const received = receivedIn(ackMessage)
    if (!received) return
    if (offlineMessages) await offlineMessages.acknowledge(received)
    else await acknowledge(messaging, clientId, received)
  },
})

function receivedIn({ cid, mid, fromts, tots }: AckCommand): Received | null {
  if (cid === undefined) return null
  if (mid !== undefined) return { convId: cid, messageId: mid }
  return tots === undefined ? null : { convId: cid, from: fromts ?? null, to: tots }
}

/** read — marks conversations as read (protocol/realtime, Read). It gets no response, even with an `i`. */
export const noteRead = command({
  cmd: 'read',
  op: null,
  rate: null,
  notifies: null,
  answered: false,
  async handler({ messaging, clientId }, { readMessage = {} }) {
    const { cid, cids = cid === undefined ? [] : [cid], convs = cids.map((id) => ({ cid: id })) } = readMessage
    const reads = convs.map((tuple) => ({
      convId: tuple.cid,
      messageId: ('mid' in tuple && tuple.mid) || null,
      ts: ('timestamp' in tuple && tuple.timestamp) || null,
    }))
    await markRead(messaging, clientId, reads)
  },
})

/**
 * conv/max_read — returns up to when the other members have received and read messages (protocol/realtime, Other conversation
 * queries).
 */
export const answerMaxRead = command({
  cmd: 'conv',
  op: 'max_read',
  rate: 'operations',
  notifies: null,
  answered: true,
  async handler(session, { convMessage = {} }) {
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
  },
})

/** Returns the times, without those that are null. */
function timesOf({ received, read }: Progress): Pick<MaxReadTuple, 'maxAckTimestamp' | 'maxReadTimestamp'> {
  return {
    ...(received !== null && { maxAckTimestamp: received }),
    ...(read !== null && { maxReadTimestamp: read }),
  }
}
