import type { LogLine } from './health-queries.ts'

export const LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type Level = (typeof LEVELS)[number]

export const COLOURS = { error: 'error', warn: 'warning', info: 'processing', debug: 'default' } as const

/** A line of the log, taken apart. */
export interface ReadLine {
  readonly number: number
  /** ISO */
  readonly time: string | null
  readonly level: Level | null
  readonly text: string
  /** All else that it says, as JSON; '' where it says nothing else. */
  readonly rest: string
}

/** A line that was cut off is no JSON any more, and is shown as it is. */
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
