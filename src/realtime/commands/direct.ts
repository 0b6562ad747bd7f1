import type { ApiError } from '../../errors.ts'
import type { Draft } from '../../messaging/messages/draft.ts'
import { patchOfSent, sendMessage } from '../../messaging/messages/send-message.ts'
import type { DirectCommand, ErrorCommand, GenericCommand } from '../../realtime-protocol/schema.ts'
import { conversationOf } from '../rates.ts'
import { errorOf } from '../refusals.ts'
import type { Answer } from '../session.ts'
import { command } from './command.ts'

/** The only priority that has an effect (protocol/realtime, GenericCommand). */
const LOW = 3

/**
 * direct — sends a message (protocol/realtime, Sending: direct). It is passed on synchronously, so that the messages of a client
 * keep their order, and concurrent messages are stored together.
 */
export const sendDirect = command({
  cmd: 'direct',
  op: null,
  rate: 'sends',
  notifies: ({ directMessage }) => ({ convIds: conversationOf(directMessage?.cid), members: 0 }),
  answered: true,
  refusal: refuseMessage,
  async handler(session, { directMessage = {}, priority }) {
    const { messaging, clientId, connection, wills } = session
    const draft = { ...draftOf(directMessage), lowPriority: priority === LOW }
    const ip = connection.remoteAddress
    if (directMessage.will) {
      const { id, ts } = await wills.set(session, draft, ip)
      return { cmd: 'ack', ackMessage: { uid: id, t: ts, cid: draft.convId } }
    }
    const sent = await sendMessage(messaging, { clientId, session, ip, sync: true }, draft)
    const patch = patchOfSent(sent)
    if (patch) session.push(patch)
    return { cmd: 'ack', ackMessage: { uid: sent.id, t: sent.ts, cid: draft.convId } }
  },
})

/** Code of the object store for a value outside its limits: here, a message that is too long. */
const BAD_VALUE = 1
/** protocol/realtime, Error codes, 4109 */
const TOO_LONG: ErrorCommand = { code: 4109, reason: 'FRAME_TOO_LONG' }

/** Returns the acknowledgement that rejects a message (protocol/realtime, Sending: direct). */
function refuseMessage({ directMessage }: GenericCommand, error: ApiError): Answer {
  const { code, reason, appCode, appMsg } = error.code === BAD_VALUE ? TOO_LONG : errorOf(error)
  return { cmd: 'ack', ackMessage: { cid: directMessage?.cid, code, reason, appCode, appMsg } }
}

function draftOf(message: DirectCommand): Draft {
  const bin = message.binaryMsg !== undefined
  return {
    convId: message.cid ?? '',
    content: bin ? Buffer.from(message.binaryMsg!).toString('base64') : (message.msg ?? ''),
    bin,
    transient: message.transient ?? false,
    receipt: message.r ?? false,
    token: message.dt || null,
    mentionAll: message.mentionAll ?? false,
    mentions: message.mentionPids ?? [],
    pushData: message.pushData ?? null,
  }
}
