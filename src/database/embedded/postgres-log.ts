import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** The target of log lines, such as a pino logger. */
export interface Log {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

/** One message of PostgreSQL's log. */
export interface PostgresMessage {
  /** The process that wrote it, such as `checkpointer` or `client backend`. */
  readonly from: string
  readonly code: string
  readonly severity: string
  readonly text: string
}

/** Codes that connections get during a start or shutdown, or when the database has not been created yet. */
const expected = new Set(['57P01', '57P02', '57P03', '3D000'])

/** Messages of each regular start and stop. They are omitted, because they would separate the output of the first start. */
const ROUTINE =
  /^(starting PostgreSQL|listening on|database system (was shut down at|is ready|is shut down)|received fast shutdown|aborting any active|background worker "logical replication launcher" .* exited|shutting down$)/

/**
 * Reads PostgreSQL's stderr, written with the `log_line_prefix` of postgres-settings.ts, and passes its messages to `log`.
 * `onMessage` is called with each message. Resolves at the end of the stream.
 */
export async function forwardPostgresLog(
  stderr: Readable,
  log: Log,
  onMessage: (message: PostgresMessage) => void,
): Promise<void> {
  let previous: PostgresMessage | null = null
  const lines = createInterface({ input: stderr })
  lines.on('line', (line) => {
    // A leading tab marks a line as the continuation of the previous message.
    const message = line.startsWith('\t') && previous ? { ...previous, text: line.trim() } : parsePostgresMessage(line)
    previous = message
    onMessage(message)
    if (isOurs(message)) return
    const { text, severity, ...fields } = message
    if (!(severity === 'LOG' && ROUTINE.test(text))) log[level(severity)](fields, text)
  })
  await once(lines, 'close')
}

/** Parses a line of the log. A line of another form, from a library or the loader, becomes a warning. */
export function parsePostgresMessage(line: string): PostgresMessage {
  const [, from, code, severity, text] = /^(?:([^|]*)\|(\w{5})\|)?([A-Z]+\d?): +(.*)$/.exec(line) ?? []
  return { from: from ?? '', code: code ?? '', severity: severity ?? 'WARNING', text: text ?? line }
}

/**
 * Returns whether a message is expected or about a statement of this program. Such an error is thrown where the statement was
 * sent and handled there. Its text may hold a value, so it is not logged.
 */
function isOurs({ from, code, severity }: PostgresMessage): boolean {
  return expected.has(code) || (from === 'client backend' && (severity === 'ERROR' || severity === 'WARNING'))
}

function level(severity: string): keyof Log {
  if (severity === 'WARNING') return 'warn'
  return severity === 'ERROR' || severity === 'FATAL' || severity === 'PANIC' ? 'error' : 'info'
}
