import { logInMany, type Place } from './client.ts'
import type { Outcome } from './crowd.ts'

/** Clients that log in, each on a connection of its own, and then say nothing. */
export interface IdleSpec extends Place {
  readonly kind: 'idle'
  readonly connections: number
  /** Of their ids. */
  readonly name: string
}

export async function gatherIdle(spec: IdleSpec): Promise<() => Promise<Outcome>> {
  await logInMany(spec, spec.name, spec.connections)
  return () => {
    throw new Error('Idle clients do nothing.')
  }
}
