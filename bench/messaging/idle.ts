import { logInMany, type Place } from './client.ts'
import type { Outcome } from './crowd.ts'

/** Clients that log in on separate connections and then stay idle. */
export interface IdleSpec extends Place {
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
