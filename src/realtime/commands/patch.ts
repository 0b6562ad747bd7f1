import { editMessage, type NewContent } from '../../messaging/messages/patches.ts'
import type { PatchItem } from '../../realtime-protocol/schema.ts'
import type { Perform } from './perform.ts'

/** patch/modify — the sender edits or recalls a message (protocol/realtime, Edit and recall: patch). */
export const modifyMessage: Perform = async (session, { patchMessage = {} }) => {
  const { messaging, clientId, connection } = session
  let lastPatchTime: number | undefined
  for (const item of patchMessage.patches ?? []) {
    const { cid = '', mid = '', timestamp = 0 } = item
    const ref = { convId: cid, id: mid, ts: timestamp, receivers: null }
    const editor = { clientId, session, ip: connection.remoteAddress }
    const { patchedAt, changed } = await editMessage(messaging, editor, ref, contentOf(item))
    if (changed) session.pushBehindAnswer({ kind: 'patches', patches: [changed] })
    lastPatchTime = patchedAt
  }
  return { cmd: 'patch', op: 'modified', patchMessage: { ...(lastPatchTime !== undefined && { lastPatchTime }) } }
}

/** patch/modified — the client has taken note of changes. Nobody answers. */
export const notePatched: Perform = async () => null

function contentOf({ recall, data, binaryMsg, mentionAll, mentionPids }: PatchItem): NewContent {
  if (recall) return null
  const bin = binaryMsg !== undefined
  return {
    content: bin ? Buffer.from(binaryMsg).toString('base64') : (data ?? ''),
    bin,
    mentionAll: mentionAll ?? false,
    mentions: mentionPids ?? [],
  }
}
