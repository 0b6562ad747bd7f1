/** What attackers and honest clients know of the server: nothing that an app does not ship to its users. */
export interface Target {
  readonly url: string
  readonly port: number
  readonly appId: string
  readonly appKey: string
  /** A class of honest objects, and the ids of some. */
  readonly items: { readonly className: string; readonly ids: readonly string[] }
  /** A class with very many objects of the fields `n`, `text`, `tag`, `place`, `item` and `list`. */
  readonly crowd: { readonly className: string; readonly objects: number }
  /** Honest users, with passwords that attackers do not know. */
  readonly users: readonly { readonly name: string; readonly password: string }[]
  /** A conversation of the honest clients. */
  readonly conversation: string
}

/** Address of the attacker: all that it does comes from here. Linux answers on all of 127.0.0.0/8. */
export const ATTACKER = '127.0.0.2'

/** The addresses of honest clients, who are many. */
export function honestAddress(n: number): string {
  return `127.0.1.${1 + (n % 200)}`
}

/** Headers of a client of the app, as a browser or phone sends them. */
export function clientHeaders({ appId, appKey }: Pick<Target, 'appId' | 'appKey'>): Record<string, string> {
  return { 'X-LC-Id': appId, 'X-LC-Key': appKey, 'Content-Type': 'application/json' }
}
