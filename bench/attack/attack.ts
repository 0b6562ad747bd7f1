import type { Attacker } from './attacker.ts'
import type { Victim } from './victim.ts'

/** One way of being hostile, without the master key and from one address. */
export interface Attack {
  readonly name: string
  /** What it does, for the table. */
  readonly what: string
  /** Fills the app with what its owner has made with the master key. */
  readonly fill?: (victim: Victim) => Promise<unknown>
  /** What it needs to have done before, while honest clients are not being measured yet. */
  readonly prepare?: (attacker: Attacker) => Promise<unknown>
  /** Does it until `attacker.stopped`; when it returns or throws earlier, it is begun again. */
  readonly run: (attacker: Attacker) => Promise<unknown>
  /** Needs cloud code that answers late. */
  readonly slowEngine?: boolean
  /** Needs a class whose texts are searched (`library.ts`). */
  readonly searched?: boolean
}
