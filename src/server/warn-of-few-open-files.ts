import { FEW_OPEN_FILES } from '../doctor/checks/machine.ts'
import { maxOpenFiles } from '../limits/connections.ts'
import type { Log } from '../log.ts'

/** Each client holds a connection, which is an open file. */
export function warnOfFewOpenFiles(log: Log): void {
  const limit = maxOpenFiles()
  if (limit !== null && limit < FEW_OPEN_FILES) log.warn({ limit, recommended: 65_536 }, 'limit of open files is low')
}
