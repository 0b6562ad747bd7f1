import type { Notice } from '../notices/notice.ts'

/** A condition that administrators are notified of while it lasts. */
export interface AlertCondition {
  /** A constant name, such as `disk`. */
  readonly id: string
  /**
   * Whether it concerns this node alone, such as its disk. A condition that several nodes may report, such as an engine that does
   * not respond, is one alert for all of them.
   */
  readonly isOfNode: boolean
  /** Returns the current problem; null when there is none. Called once a minute. */
  read(): Promise<Notice | null>
}

/** A current alert. Times in milliseconds since 1970. */
export interface Alert {
  readonly key: string
  readonly id: string
  /** The node that it concerns; null for the whole installation. */
  readonly node: string | null
  readonly problem: Notice
  readonly since: number
  readonly notifiedAt: number
  /** When the last node ceased to report it; null while one does. */
  readonly clearSince: number | null
  /** When each node reported it last. */
  readonly reports: { readonly [node: string]: number }
}

/** What a node has found. */
export interface Reading {
  readonly id: string
  readonly isOfNode: boolean
  readonly problem: Notice | null
}

export type AlertEvent = 'started' | 'continues' | 'ended'

/** The new state of an alert, null when it is over, and the notification to send. */
export interface Step {
  readonly alert: Alert | null
  readonly event: AlertEvent | null
}

const MINUTE = 60_000
/** An alert ends when no node has reported it for so long: a condition that comes and goes is one alert. */
export const CLEAR_MS = 15 * MINUTE
/** A report of a node that has not been repeated for so long no longer counts: the node has ended. */
export const REPORT_MS = 10 * MINUTE
/** Interval of reminders. */
export const REMIND_MS = 24 * 60 * MINUTE

export function keyOf({ id, isOfNode }: Pick<Reading, 'id' | 'isOfNode'>, node: string): string {
  return isOfNode ? `${id} ${node}` : id
}

/**
 * Returns the next state of an alert.
 * @param before null when there is none
 * @param reading what this node has found; null for an alert of another node, or of a condition that no longer exists
 * @param now milliseconds since 1970, by the clock of the database
 */
export function nextState(before: Alert | null, reading: Reading | null, node: string, now: number): Step {
  const problem = reading?.problem ?? null
  if (!before) {
    if (!reading || !problem) return { alert: null, event: null }
    const { id, isOfNode } = reading
    const alert = { key: keyOf(reading, node), id, node: isOfNode ? node : null, problem, since: now, notifiedAt: now }
    return { alert: { ...alert, clearSince: null, reports: { [node]: now } }, event: 'started' }
  }
  const others = Object.entries(before.reports).filter(([name, at]) => name !== node && now - at < REPORT_MS)
  const reports = Object.fromEntries(problem ? [...others, [node, now] as const] : others)
  if (Object.keys(reports).length === 0) {
    const clearSince = before.clearSince ?? now
    if (now - clearSince >= CLEAR_MS) return { alert: null, event: 'ended' }
    return { alert: { ...before, reports, clearSince }, event: null }
  }
  const alert = { ...before, problem: problem ?? before.problem, reports, clearSince: null }
  return now - before.notifiedAt >= REMIND_MS
    ? { alert: { ...alert, notifiedAt: now }, event: 'continues' }
    : { alert, event: null }
}
