import { findOldThread } from '../../../../messaging/messages/old-conversation-ids.ts'
import { deleteMessage, type MessageRef, replaceContent } from '../../../../messaging/messages/patches.ts'
import { type Call, ok } from '../../../call.ts'
import { oldHistory } from '../../../messaging/old-history.ts'
import { clientsIn, flagIn, requiredText, requiredTime, textIn } from '../../../request-fields.ts'
import { masterRoute, type Route, route } from '../../../route.ts'

const PATH = '/1.1/rtm/messages/logs'

/**
 * Stored messages (protocol/messaging, Interface 1.1): read, replaced and deleted on the server, without notifying
 * clients. PUT takes an item of a history with changed `data`.
 */
export const messageLogs: readonly Route[] = [
  route({ method: 'GET', path: PATH, rate: 'queries', adminReadable: true, handler: oldHistory }),
  masterRoute({
    method: 'PUT',
    path: PATH,
    rate: 'writes',
    handler: async (call) => {
      const { app, parameters } = call
      const content = { content: requiredText(parameters, 'data'), bin: flagIn(parameters, 'bin') }
      const ref = await refOf(call, 'conv-id', 'msg-id')
      await replaceContent(app.messaging, ref, textIn(parameters, 'from') || null, content)
      return ok({})
    },
  }),
  masterRoute({
    method: 'DELETE',
    path: PATH,
    rate: 'writes',
    handler: async (call) => {
      const ref = await refOf(call, 'convid', 'msgid')
      await deleteMessage(call.app.messaging, ref, textIn(call.parameters, 'from') || null)
      return ok({})
    },
  }),
]

async function refOf({ app, parameters }: Call, convName: string, idName: string): Promise<MessageRef> {
  const given = requiredText(parameters, convName)
  const id = requiredText(parameters, idName)
  const ts = requiredTime(parameters, 'timestamp')
  const { convId, clientId } = await findOldThread(app.messaging, given)
  if (clientId !== null) return { convId, id, ts, receivers: [clientId] }
  // An item of a message to some subscribers names its receivers.
  const receivers = clientsIn(parameters, 'to-clients')
  const to = textIn(parameters, 'to')
  const isForOne =
    to !== undefined && to !== convId && (await app.messaging.conversations.find(convId))?.kind === 'system'
  return { convId, id, ts, receivers: receivers.length > 0 ? receivers : isForOne ? [to] : null }
}
