/**
 * The principal charged for work. Queues alternate between apps, in an app between addresses, at an address between users;
 * `''` stands for no address or user in particular.
 */
export interface Principal {
  readonly app: string
  /** What counts as one address (`limits/address-key.ts`), or `MASTER_KEY`. */
  readonly address: string
  /** Id of the user whose session came with the request. */
  readonly user: string
  /**
   * Calls `leave` when the client has disconnected, so that the result is not needed.
   * @returns removes the listener
   */
  whenGone?(leave: () => void): () => void
  /** Returns why no work may begin for it any more: called when it has waited for its slot. */
  refusal?(): Error | undefined
}

/** Stands for the address of callers with the master key: an app's back end has a share of its own, wherever it runs. */
export const MASTER_KEY = 'master'

/** The server itself. */
export const SERVER: Principal = { app: '', address: '', user: '' }

/** The app itself, for work of several of its callers together, or of none. */
export function appPrincipal(app: string): Principal {
  return { app, address: '', user: '' }
}
