import { isFileDiskFull, toApiError } from '../database/faults.ts'
import { ApiError, errors } from '../errors.ts'
import type { Log } from '../log.ts'

/**
 * Returns the error for the caller. An unexpected error is logged with the request's id, and the caller gets code 1
 * without details.
 */
export function failure(error: unknown, log: Log, requestId: string): ApiError {
  const known = toApiError(error)
  // A full disk of the database is logged where it is detected (database/disk-space.ts).
  if (isFileDiskFull(error)) log.error({ requestId, error }, 'disk full, file upload refused')
  if (known instanceof ApiError) return known
  log.error({ requestId, error }, 'request failed unexpectedly')
  return errors.internal()
}
