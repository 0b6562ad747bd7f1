import { editMessages, type NewContent } from '../../messaging/messages/patches.ts'
import type { PatchItem } from '../../realtime-protocol/schema.ts'
import { conversationOf } from '../rates.ts'
import { command } from './command.ts'

/** patch/modify — the sender edits or recalls a message (protocol/realtime, Edit and recall: patch). */
const modifyMessage = command({
  cmd: 'patch',
  op: 'modify',
  rate: 'sends',
  notifies: ({ patchMessage }) => ({
    convIds: (patchMessage?.patches ?? []).flatMap(({ cid }) => conversationOf(cid)),
    members: 0,
  }),
  times: ({ patchMessage }) => Math.max(1, patchMessage?.patches?.length ?? 0),
  answered: true,
  async handler(session, { patchMessage = {} }) {
    const { messaging, clientId, connection } = session
    const editor = { clientId, session, ip: connection.remoteAddress }
    const edits = (patchMessage.patches ?? []).map((item) => {
      const { cid = '', mid = '', timestamp = 0 } = item
      return { ref: { convId: cid, id: mid, ts: timestamp, receivers: null }, change: contentOf(item) }
    })
    const { edited, failure } = await editMessages(messaging, editor, edits)
    for (const { changed } of edited) if (changed) session.push({ kind: 'patches', patches: [changed] })
    if (failure !== undefined) throw failure
    const lastPatchTime = edited.at(-1)?.patchedAt
    return { cmd: 'patch', op: 'modified', patchMessage: { ...(lastPatchTime !== undefined && { lastPatchTime }) } }
  },
})

/** patch/modified — acknowledges changes of messages. */
const notePatched = command({
  cmd: 'patch',
  op: 'modified',
  rate: null,
  notifies: null,
  answered: false,
  async handler() {},
})

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

export const patchCommands = [modifyMessage, notePatched]
