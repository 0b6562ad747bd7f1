import type { GenericCommand } from '../realtime-protocol/schema.ts'
import { storableText } from '../values/json.ts'

/** Returns whether a text in a command contains a NUL character, which the database cannot store. */
export function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\u0000')
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return false
  return Object.values(value).some(hasNul)
}

/**
 * Makes the contents of messages storable (protocol/storage, Texts). Other texts of the command are ids, which are never changed,
 * and JSON, whose texts are replaced when it is parsed.
 */
export function withStorableContents(command: GenericCommand): GenericCommand {
  const { directMessage, patchMessage } = command
  if (directMessage) {
    const { msg, dt } = directMessage
    const contents = { ...(msg !== undefined && { msg: storableText(msg) }), ...(dt && { dt: storableText(dt) }) }
    return { ...command, directMessage: { ...directMessage, ...contents } }
  }
  if (!patchMessage?.patches) return command
  const patches = patchMessage.patches.map((patch) =>
    patch.data === undefined ? patch : { ...patch, data: storableText(patch.data) },
  )
  return { ...command, patchMessage: { ...patchMessage, patches } }
}
