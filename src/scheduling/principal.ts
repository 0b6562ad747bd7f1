/**
 * The principal charged for work. Queues alternate between apps, within an app between addresses, and at an address between
 * users; `''` means no address or user in particular.
 */
export interface Principal {
  readonly app: string
  /** The key of the client's address (`limits/address-key.ts`), or `MASTER_KEY`. */
  readonly address: string
  /** Id of the user whose session came with the request. */
  readonly user: string
  /**
   * Calls `leave` when the client has disconnected, so that the result is no longer needed.
   * @returns a function that removes the listener
   */
  onDisconnect?(leave: () => void): () => void
  /** Returns why no more work may begin for the principal. Called when it has waited and a slot is free. */
  refusal?(): Error | undefined
}

/** Replaces the address of callers with the master key: an app's back end has its own share, wherever it runs. */
export const MASTER_KEY = 'master'

/** The server itself. */
export const SERVER: Principal = { app: '', address: '', user: '' }

/** Returns the principal of the app itself, for work of several of its callers or of none. */
export function appPrincipal(app: string): Principal {
  return { app, address: '', user: '' }
}
