import { isFileDiskFull, toApiError } from '../database/faults.ts'
import { ApiError, errors } from '../errors.ts'
import type { Log } from '../log.ts'

/**
 * What the caller is told of an error. One that is no error of the contract is a fault of ours: it is logged with the
 * request's id and the caller sees code 1 without details.
 */
export function failure(error: unknown, log: Log, requestId: string): ApiError {
  const known = toApiError(error)
  // What the database says of its own disk is logged where it is noticed (database/disk-space.ts).
  if (isFileDiskFull(error)) log.error({ requestId, error }, 'disk full, file upload refused')
  if (known instanceof ApiError) return known
  log.error({ requestId, error }, 'request failed unexpectedly')
  return errors.internal()
}
