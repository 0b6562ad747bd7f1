import { fillIn, type Language } from '../notices/fill-in.ts'
import { IN_ENGLISH } from '../notices/in-english.ts'
import { type Notice, notice } from '../notices/notice.ts'
import type { AlertEvent } from './alert-state.ts'

/** The languages of notifications. */
export type AlertLanguage = 'en' | 'zh'

/** A notification as data, which is stored until it is delivered. */
export interface AlertNotification {
  readonly event: AlertEvent | 'test'
  /** The id of the condition; `test` for a test. */
  readonly alert: string
  /** The node that the alert concerns; null for the whole installation. */
  readonly node: string | null
  readonly problem: Notice
  /** ISO: when the alert started. */
  readonly since: string
  /** ISO */
  readonly at: string
}

/** The texts of a notification. */
export interface AlertText {
  /** One line. */
  readonly subject: string
  readonly text: string
  /** The problem alone. */
  readonly problem: string
}

/** Maximum number of characters of a subject. */
const MAX_SUBJECT = 160

/** Loads a language; Chinese is loaded only by servers that use it. */
export async function languageOf(name: AlertLanguage): Promise<Language> {
  return name === 'zh' ? (await import('../notices/chinese.ts')).IN_CHINESE : IN_ENGLISH
}

/** @param consoleUrl URL of the page of health in the console */
export function textOf(
  { event, node, problem, since }: AlertNotification,
  language: Language,
  consoleUrl: string,
): AlertText {
  const heading = fillIn(headingOf(event, problem), language).replace(/\s+/g, ' ')
  const about = fillIn(
    node === null ? notice('alertSince', { since }) : notice('alertSinceAt', { since, node }),
    language,
  )
  return {
    subject: heading.length > MAX_SUBJECT ? `${heading.slice(0, MAX_SUBJECT - 1)}…` : heading,
    text: `${heading}\n${about}\n${consoleUrl}`,
    problem: fillIn(problem, language),
  }
}

function headingOf(event: AlertNotification['event'], problem: Notice): Notice {
  switch (event) {
    case 'started':
      return notice('alertStarted', { problem })
    case 'continues':
      return notice('alertContinues', { problem })
    case 'ended':
      return notice('alertEnded', { problem })
    case 'test':
      return problem
  }
}
