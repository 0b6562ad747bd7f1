import type { EngineProcess } from './engine-process.ts'

/** A call of a hook with `NOTE`. */
export interface HookNote {
  readonly hook: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an object by reading it
  readonly object: any
  readonly updatedKeys: readonly string[] | null
  /** Id and session token of the current user. */
  readonly user: string | null
  readonly sessionToken: string | null
  readonly remoteAddress: string
}

/** The timeout for hooks called in the background. */
export const PATIENTLY = { timeout: 60_000 }

/** Cloud code: `note(hook, request)` records a hook call for `notesOf`. */
export const NOTE = `
  const note = (hook, { object, currentUser, meta }) => require('node:fs').appendFileSync(process.env.NOTES, JSON.stringify({
    hook,
    object: object.toFullJSON(),
    updatedKeys: object.updatedKeys || null,
    user: currentUser ? currentUser.id : null,
    sessionToken: currentUser ? currentUser.getSessionToken() : null,
    remoteAddress: meta.remoteAddress,
  }) + '\\n')
`

/** Returns the recorded hook calls in order, optionally of one object by id or of one hook by name. */
export function notesOf(engine: EngineProcess, { id, hook }: { id?: string; hook?: string } = {}): HookNote[] {
  return engine
    .notes()
    .split('\n')
    .slice(0, -1)
    .map((line): HookNote => JSON.parse(line))
    .filter((note) => id === undefined || note.object.objectId === id)
    .filter((note) => hook === undefined || note.hook === hook)
}
