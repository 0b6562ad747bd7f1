import type { EngineProcess } from './engine-process.ts'

/** What a hook of `NOTE` has seen. */
export interface HookNote {
  readonly hook: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an object by reading it
  readonly object: any
  readonly updatedKeys: readonly string[] | null
  /** Id and session token of the user that it acts for. */
  readonly user: string | null
  readonly sessionToken: string | null
  readonly remoteAddress: string
}

/** How long a test waits for a hook that is called in the background. */
export const PATIENTLY = { timeout: 60_000 }

/** Cloud code: `note(hook, request)` writes down what a hook is called with, where `notesOf` finds it. */
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

/** What hooks have noted so far, in order; of one object with its id, and of one hook with its name. */
export function notesOf(engine: EngineProcess, { id, hook }: { id?: string; hook?: string } = {}): HookNote[] {
  return engine
    .notes()
    .split('\n')
    .slice(0, -1)
    .map((line): HookNote => JSON.parse(line))
    .filter((note) => id === undefined || note.object.objectId === id)
    .filter((note) => hook === undefined || note.hook === hook)
}
