/** The data about the server known to attackers and honest clients: only what an app ships to its users. */
export interface Target {
  readonly url: string
  readonly port: number
  readonly appId: string
  readonly appKey: string
  /** A class of honest objects, and some ids. */
  readonly items: { readonly className: string; readonly ids: readonly string[] }
  /** A very large class with the fields `n`, `text`, `tag`, `place`, `item` and `list`. */
  readonly crowd: { readonly className: string; readonly objects: number }
  /** Honest users, with passwords unknown to attackers. */
  readonly users: readonly { readonly name: string; readonly password: string }[]
  /** A conversation of the honest clients. */
  readonly conversation: string
}

/** The only address of the attacker. Linux accepts all of 127.0.0.0/8. */
export const ATTACKER = '127.0.0.2'

/** Returns one of the many addresses of honest clients. */
export function honestAddress(n: number): string {
  return `127.0.1.${1 + (n % 200)}`
}

/** Returns the headers of a client of the app, as a browser or phone sends them. */
export function clientHeaders({ appId, appKey }: Pick<Target, 'appId' | 'appKey'>): Record<string, string> {
  return { 'X-LC-Id': appId, 'X-LC-Key': appKey, 'Content-Type': 'application/json' }
}
