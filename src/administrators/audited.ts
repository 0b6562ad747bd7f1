import type { Executor } from '../database/pool.ts'
import { ApiError } from '../errors.ts'
import { noteChange, noteOutcome, type RequestedChange } from './audit-log.ts'

/**
 * Makes a change and records it in the audit log: writes a line before the change, so that none is missing after a
 * crash, and the status of the response afterwards.
 */
export async function audited<Answer extends { readonly status: number }>(
  database: Executor,
  change: RequestedChange,
  make: () => Promise<Answer>,
): Promise<Answer> {
  const line = await noteChange(database, change)
  try {
    const answer = await make()
    await noteOutcome(database, line, answer.status)
    return answer
  } catch (error) {
    await noteOutcome(database, line, error instanceof ApiError ? error.status : 500)
    throw error
  }
}
