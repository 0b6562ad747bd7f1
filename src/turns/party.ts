/**
 * For whom work is done. Turns go round between apps, in an app between addresses, at an address between users; `''` stands
 * for what is nobody's in particular.
 */
export interface Party {
  readonly app: string
  /** What counts as one address (`limits/address-key.ts`), or `MASTER_KEY`. */
  readonly address: string
  /** Id of the user whose session came with the request. */
  readonly user: string
  /**
   * Calls `leave` when nobody waits for the outcome any more.
   * @returns what takes that back
   */
  whenGone?(leave: () => void): () => void
  /** Why nothing is to be begun for it any more: asked when it has waited for its turn. */
  refusal?(): Error | undefined
}

/** In place of the address of whoever has the master key: an app's back end has a share of its own, wherever it runs. */
export const MASTER_KEY = 'master'

/** What the server does by itself. */
export const SERVER: Party = { app: '', address: '', user: '' }

/** What is done for several callers of an app together, or for none of them. */
export function appItself(app: string): Party {
  return { app, address: '', user: '' }
}
