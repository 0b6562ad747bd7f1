import type { Failure } from '../vendor-request.ts'
import { isFailure } from '../vendor-request.ts'
import type { InvalidToken } from '../vendor-token.ts'

/** A message that vivo stores, to be sent to lists of devices by its task id. */
interface SavedMessage {
  readonly taskId: string
}

export type Saving = SavedMessage | Failure | InvalidToken

export interface SavedMessages {
  /** Returns the saved message of a key, saving it if needed. @param key identifies the message */
  find(key: string, save: () => Promise<Saving>): Promise<Saving>
  /** Drops a message that vivo no longer knows. */
  forget(key: string): void
}

/** Milliseconds for which a saved message is reused; then it is saved again with its remaining time to live. */
const TTL_MS = 10 * 60 * 1000
const MAX_SAVED_MESSAGES = 16

/**
 * Saves each message once for all pages of a push that are sent within some minutes, because vivo limits the saved messages per
 * day.
 */
export function savedMessages(now = Date.now): SavedMessages {
  const held = new Map<string, { readonly saving: Promise<Saving>; readonly until: number }>()
  return {
    find(key, save) {
      const found = held.get(key)
      if (found && found.until > now()) return found.saving
      const entry = { saving: save(), until: now() + TTL_MS }
      held.delete(key)
      held.set(key, entry)
      if (held.size > MAX_SAVED_MESSAGES) held.delete(held.keys().next().value!)
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
