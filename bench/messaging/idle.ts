import { logInMany, type Server } from './client.ts'
import type { Outcome } from './crowd.ts'

/** Clients that log in on separate connections and then stay idle. */
export interface IdleSpec extends Server {
  readonly kind: 'idle'
  readonly connections: number
  /** The prefix of their ids. */
  readonly name: string
}

export async function gatherIdle(spec: IdleSpec): Promise<() => Promise<Outcome>> {
  await logInMany(spec, spec.name, spec.connections)
  return () => {
    throw new Error('Idle clients do nothing.')
  }
}
