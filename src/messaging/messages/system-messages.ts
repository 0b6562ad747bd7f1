import { MASTER } from '../../objects/access/caller.ts'
import { createObject } from '../../objects/writing/create.ts'
import type { Conversation } from '../conversation.ts'
import { newMessageId } from '../message.ts'
import type { Messaging } from '../messaging.ts'
import type { Draft, Sender, Sent } from './draft.ts'

/**
 * Stores a client's message to a system conversation as an object of `_SysMessage` and queues it for the app's web hook. Clients
 * do not receive it (protocol/realtime, System conversations).
 */
export async function storeSystemMessage(
  messaging: Messaging,
  conversation: Conversation,
  sender: Sender,
  draft: Draft,
): Promise<Sent> {
  const [id, ts] = [newMessageId(), Date.now()]
  if (!draft.transient) {
    const message = {
      conv: { __type: 'Pointer', className: '_Conversation', objectId: conversation.id } as const,
      msgId: id,
      from: sender.clientId,
      bin: draft.bin,
      data: draft.content,
      ...(sender.ip !== null && { fromIp: sender.ip }),
    }
    const fields = { ...message, timestamp: ts }
    const { createdAt } = await createObject(messaging.objects, '_SysMessage', fields, MASTER)
    await messaging.systemWebHook.notify({ ...message, createdAt, updatedAt: createdAt })
  }
  return { id, ts, changed: null }
}
