import { type DestinationStream, pino } from 'pino'

export interface Log {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
  /** A log whose lines all have these fields: `component`, the part of the program that they are from. */
  child(fields: object): Log
  /** Whether lines of a level are written at all: what they say need not be found out else. */
  isLevelEnabled(level: 'debug'): boolean
}

/** Errors behind an error that are shown, each the cause of the one before. */
const MAX_CAUSES = 5

export function standardError(): DestinationStream {
  return pino.destination(2)
}

/** Structured logs on standard error, one JSON object a line; standard output is for what a person asked for. */
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
 * What is logged under `error`. Of an Error these are its name, text, stack and cause, but not its other members, which may
 * hold parameters of statements and secrets; a text is shown as it is, and of anything else that was thrown the type.
 */
export function shownError(error: unknown, depth = 0): unknown {
  if (typeof error === 'string') return error
  if (!(error instanceof Error)) return { value: typeof error }
  const { name, message, stack, cause } = error
  const hasCause = cause !== undefined && depth < MAX_CAUSES
  return { name, message, stack, ...(hasCause && { cause: shownError(cause, depth + 1) }) }
}
