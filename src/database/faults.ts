import pg from 'pg'
import { ApiError, errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'

const CONNECTION_LOST = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'])

/** The server accepts no writes: it is a standby, or was made read-only. */
export class NotWritable extends Error {
  constructor() {
    super('the database is read-only: it is a standby server, or was set to read-only')
    this.name = 'NotWritable'
  }
}

/** Returns whether the server of the connection accepts no writes: it is, or has become, a standby. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof NotWritable || (error instanceof pg.DatabaseError && error.code === '25006')
}

/** Returns whether the database, or the pooler in front of it, refused a connection because it is full. */
export function isFull(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return error.code === '53300' || (error.code === '08P01' && error.message.includes('no more connections allowed'))
}

/** Returns whether the database refused a connection because it is starting or stopping. */
export function isStarting(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57P03'
}

/** Returns whether the disk is full: that of the database, or that of this program's files. */
export function isDiskFull(error: unknown): boolean {
  return (error instanceof pg.DatabaseError && error.code === '53100') || isFileDiskFull(error)
}

export function isFileDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}

/** Returns whether the database is unavailable: it is starting, stopping, full or read-only, or the connection broke. */
export function isUnavailable(error: unknown): boolean {
  if (isReadOnly(error)) return true
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? ''
    return code.startsWith('08') || code.startsWith('53') || code === '57P01' || code === '57P02' || code === '57P03'
  }
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string' && CONNECTION_LOST.has(error.code)) return true
  return /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    error.message,
  )
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505' && (!constraint || error.constraint === constraint)
}

/**
 * Returns whether the database rejected the statement, so that none of it was executed. After other errors, above all a lost
 * connection, the outcome is unknown.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(22|23|54|HP)/.test(error.code ?? '')
}

/** The class to be changed was deleted by another node. */
export class MissingClass extends Error {
  override readonly name = 'MissingClass'
}

/** Returns whether a table or the schema of an app no longer exists: another node has deleted the class or app. */
export function isMissingTable(error: unknown): boolean {
  if (error instanceof MissingClass) return true
  return error instanceof pg.DatabaseError && (error.code === '42P01' || error.code === '3F000')
}

export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')
}

/** Returns whether the database ended the statement because it took too long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014'
}

/** Converts errors of a statement that its caller caused to errors of the API; returns any other error unchanged. */
export function toApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error
  if (isDiskFull(error)) return errors.diskFull()
  // A class that is being removed at this moment no longer exists at the next attempt.
  if (isUnavailable(error) || isMissingTable(error)) return errors.unavailable()
  if (!(error instanceof pg.DatabaseError)) return error
  switch (error.code) {
    case '57014':
      return errors.timedOut()
    case '23514':
      return errors.objectTooLarge(notice('objectOver16Mb'))
    case '23505':
      return errors.duplicateValue()
    case 'HP111':
      return errors.incorrectType(notice('operationNotApplicable', { reason: error.message }))
    case '22023':
    case '22003':
    case '22P02':
      return errors.incorrectType(notice('operationTypeMismatch'))
    case '22P05':
    case '22021':
      return errors.malformedJson(notice('textNotStorable'))
    case '2201B':
      return errors.invalidQuery(notice('regexInvalid'))
    case '54000':
      return errors.badArgument(notice('indexKeyTooLong'))
    case '54001':
      return errors.invalidQuery(notice('conditionTooDeep'))
    default:
      return error
  }
}

/** Returns whether a connection is unusable: it broke, or leads to a server that accepts no writes. */
export function isLost(error: unknown): boolean {
  if (error instanceof ApiError) return false
  return !(error instanceof pg.DatabaseError) || error.severity === 'FATAL' || isReadOnly(error)
}
