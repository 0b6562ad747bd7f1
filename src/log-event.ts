/** Characters of a message that distinguish events. */
const MAX_CHARACTERS = 100

/** Longer lines are not parsed. */
const MAX_PARSED = 65_536

/** The event that a line of the log is about. */
export interface LogEvent {
  /** The part of the program that logged it; '' when the line names none. */
  readonly component: string
  /** Level and constant text. */
  readonly event: string
}

/**
 * Returns the event of a line of the log. Numbers and quoted texts in a message, as in PostgreSQL's, do not distinguish events.
 */
export function eventOf(line: string): LogEvent {
  if (line.length > MAX_PARSED) return { component: '', event: 'long line' }
  try {
    const { component, level, msg } = JSON.parse(line) as { readonly [name: string]: unknown }
    const text = typeof msg === 'string' ? msg.slice(0, 4 * MAX_CHARACTERS) : ''
    const constant = text.replace(/"[^"]*"|'[^']*'|«[^»]*»|\d+/g, '#').slice(0, MAX_CHARACTERS)
    return { component: typeof component === 'string' ? component : '', event: `${String(level)} ${constant}` }
  } catch {
    return { component: '', event: 'no JSON' }
  }
}
