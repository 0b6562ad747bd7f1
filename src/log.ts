import { type DestinationStream, pino } from 'pino'

export interface Log {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
  /** Returns a log that adds these fields to all lines: `component` is the part of the program that logs them. */
  child(fields: object): Log
  /** Returns whether lines of a level are written, so that callers can skip preparing them. */
  isLevelEnabled(level: 'debug'): boolean
}

/** Maximum number of nested causes of an error that are logged. */
const MAX_CAUSES = 5

export function standardError(): DestinationStream {
  return pino.destination(2)
}

/** Creates a structured log on standard error, one JSON object per line; standard output is for the output of commands. */
export function createLog(level: string, destination: DestinationStream = standardError()): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: shownError },
    },
    destination,
  )
}

/**
 * Returns what is logged under `error`. Of an Error these are its name, message, stack and cause, but not its other members,
 * which may hold statement parameters and secrets. A text is logged unchanged, and of any other thrown value only the type.
 */
export function shownError(error: unknown, depth = 0): unknown {
  if (typeof error === 'string') return error
  if (!(error instanceof Error)) return { value: typeof error }
  const { name, message, stack, cause } = error
  const hasCause = cause !== undefined && depth < MAX_CAUSES
  return { name, message, stack, ...(hasCause && { cause: shownError(cause, depth + 1) }) }
}
