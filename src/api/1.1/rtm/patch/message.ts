import { editMessage } from '../../../../messaging/messages/patches.ts'
import { MAX_RECEIVERS } from '../../../../messaging/messages/targeted-messages.ts'
import type { Parameters } from '../../../../objects/query-parameters.ts'
import { ok } from '../../../call.ts'
import { mentionsOf } from '../../../messaging/message-body.ts'
import { countRequest } from '../../../messaging/rate-limit.ts'
import { asTextual } from '../../../parameters.ts'
import { clientsIn, flagIn, requiredClient, requiredText, requiredTime } from '../../../request-fields.ts'
import { masterRoute } from '../../../route.ts'

/** POST /1.1/rtm/patch/message — edits or recalls a message, and notifies clients (protocol/messaging, Interface 1.1). */
export const patchMessage = masterRoute({
  method: 'POST',
  path: '/1.1/rtm/patch/message',
  rate: 'writes',
  handler: async (call) => {
    await countRequest(call, 'restUpdates')
    const { app, parameters } = call
    const editor = { clientId: requiredClient(parameters, 'from_peer'), session: null, ip: null }
    const receivers = receiversIn(parameters)
    const ref = {
      convId: requiredText(parameters, 'conv_id'),
      id: requiredText(parameters, 'msg_id'),
      ts: requiredTime(parameters, 'timestamp'),
      receivers: receivers.length > 0 ? receivers : null,
    }
    const content = flagIn(parameters, 'recall')
      ? null
      : { content: requiredText(parameters, 'message'), bin: false, ...mentionsOf(parameters) }
    await editMessage(app.messaging, editor, ref, content)
    return ok({})
  },
})

/** Returns the receivers from a list or a text with commas; ignores those beyond the maximum. */
function receiversIn(parameters: Parameters): string[] {
  const { to_peers: given } = parameters
  const listed = typeof given === 'string' && !given.startsWith('[') ? given.split(',').map((id) => id.trim()) : given
  return clientsIn(asTextual({ to_peers: listed }), 'to_peers').slice(0, MAX_RECEIVERS)
}
