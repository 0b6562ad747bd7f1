import type { Attacker } from './attacker.ts'
import type { Victim } from './victim.ts'

/** One kind of attack, without the master key and from one address. */
export interface Attack {
  readonly name: string
  /** Its description in the table. */
  readonly what: string
  /** Fills the app with data its owner would create with the master key. */
  readonly fill?: (victim: Victim) => Promise<unknown>
  /** Prepares the attack before honest clients are measured. */
  readonly prepare?: (attacker: Attacker) => Promise<unknown>
  /** Attacks until `attacker.stopped`; restarted when it returns or throws earlier. */
  readonly run: (attacker: Attacker) => Promise<unknown>
  /** Whether it needs cloud code that responds late. */
  readonly slowEngine?: boolean
  /** Whether it needs a searchable class (`library.ts`). */
  readonly searched?: boolean
}
