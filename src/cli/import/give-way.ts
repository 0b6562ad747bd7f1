import { constants, getPriority, setPriority } from 'node:os'

/** Lowers the priority of this process, because the server may run on the same machine and must serve clients. */
export function giveWay(): void {
  try {
    setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {
    // Some systems do not allow this; the command then runs at normal priority.
  }
}
