import type { LogLine } from './health-queries.ts'

export const LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type Level = (typeof LEVELS)[number]

export const COLOURS = { error: 'error', warn: 'warning', info: 'processing', debug: 'default' } as const

/** A parsed log line. */
export interface ReadLine {
  readonly number: number
  /** ISO */
  readonly time: string | null
  readonly level: Level | null
  readonly text: string
  /** All other fields as JSON; '' without any. */
  readonly rest: string
}

/** Parses a log line. A truncated line is not JSON, and is shown unchanged. */
export function parseLine({ number, text }: LogLine): ReadLine {
  try {
    const { time, level, msg, ...rest } = JSON.parse(text) as Record<string, unknown>
    return {
      number,
      time: typeof time === 'string' ? time : null,
      level: LEVELS.includes(level as Level) ? (level as Level) : null,
      text: typeof msg === 'string' ? msg : '',
      rest: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest),
    }
  } catch {
    return { number, time: null, level: null, text, rest: '' }
  }
}
