import { constants, getPriority, setPriority } from 'node:os'

/**
 * Lets others have the processors first from now on: where the command runs on the machine of the server, that serves
 * clients besides.
 */
export function giveWay(): void {
  try {
    setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {
    // A system that does not allow it goes on as before.
  }
}
