import type { Failure } from '../vendor-request.ts'
import { isFailure } from '../vendor-request.ts'
import type { InvalidToken } from '../vendor-token.ts'

/** The number of a message that vivo keeps, to be named when it is sent to lists of devices. */
interface SavedMessage {
  readonly taskId: string
}

export type Saving = SavedMessage | Failure | InvalidToken

export interface SavedMessages {
  /** @param key what tells messages apart */
  find(key: string, save: () => Promise<Saving>): Promise<Saving>
  /** For a message that vivo does not know any more. */
  forget(key: string): void
}

/** Milliseconds: a message's time to live is counted anew after this. */
const KEPT = 10 * 60 * 1000
const MOST = 16

/**
 * Messages are saved once for all pages of a push that are sent within some minutes: how many may be saved in a day is
 * limited.
 */
export function savedMessages(now = Date.now): SavedMessages {
  const held = new Map<string, { readonly saving: Promise<Saving>; readonly until: number }>()
  return {
    find(key, save) {
      const found = held.get(key)
      if (found && found.until > now()) return found.saving
      const entry = { saving: save(), until: now() + KEPT }
      held.delete(key)
      held.set(key, entry)
      if (held.size > MOST) held.delete(held.keys().next().value!)
      void entry.saving.then((saved) => {
        if ((isFailure(saved) || 'invalid' in saved) && held.get(key) === entry) held.delete(key)
      })
      return entry.saving
    },
    forget(key) {
      held.delete(key)
    },
  }
}
