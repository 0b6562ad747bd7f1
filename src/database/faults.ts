import pg from 'pg'
import { ApiError, errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'

const CONNECTION_LOST = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'])

/** A server that was connected to takes no writes: it is the standby of another one, or was made read-only. */
export class NotWritable extends Error {
  constructor() {
    super('the database takes no writes: it is the standby of another one, or was made read-only')
    this.name = 'NotWritable'
  }
}

/** The server of the connection takes no writes: it is, or has become, the standby of another one. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof NotWritable || (error instanceof pg.DatabaseError && error.code === '25006')
}

/** The database, or the pooler in front of it, has no room for another connection. */
export function isFull(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return error.code === '53300' || (error.code === '08P01' && error.message.includes('no more connections allowed'))
}

/** The database takes no connections yet, or no more: it is starting or stopping. */
export function isStarting(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57P03'
}

/** There is no space for what was to be stored: in the database, or in a file of ours. */
export function isDiskFull(error: unknown): boolean {
  return (error instanceof pg.DatabaseError && error.code === '53100') || isFileDiskFull(error)
}

export function isFileDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}

/** The database did not answer: it is starting, stopping, full, takes no writes, or the connection broke. */
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
 * The database took the statement and refused what it asks for: nothing of it was done. Of other errors, a lost
 * connection above all, nobody knows.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(22|23|54|HP)/.test(error.code ?? '')
}

/** What was to be changed belongs to a class that another node has deleted. */
export class MissingClass extends Error {
  override readonly name = 'MissingClass'
}

/** A table that is worked with, or the schema of an app, is there no more: another node has deleted the class or app. */
export function isMissingTable(error: unknown): boolean {
  if (error instanceof MissingClass) return true
  return error instanceof pg.DatabaseError && (error.code === '42P01' || error.code === '3F000')
}

export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')
}

/** The database ended the statement because it took too long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014'
}

/** Faults of a statement that its caller caused, as the errors of the contract; anything else comes back as it is. */
export function toApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error
  if (isDiskFull(error)) return errors.diskFull()
  // A class that is removed at this very moment is gone for the next try.
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

/** Whether a connection cannot be used any more: it broke, or leads to a server that takes no writes. */
export function isLost(error: unknown): boolean {
  if (error instanceof ApiError) return false
  return !(error instanceof pg.DatabaseError) || error.severity === 'FATAL' || isReadOnly(error)
}
