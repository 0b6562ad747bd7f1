import type { Database } from '../database/pool.ts'
import { recur } from '../jobs/recurring.ts'
import type { Log } from '../log.ts'
import { type Notice, notice } from '../notices/notice.ts'
import { type Alert, type AlertCondition, type AlertEvent, keyOf, nextState, type Reading } from './alert-state.ts'
import { databaseTime, lockAlerts, readAlerts, removeAlert, storeAlert } from './alert-table.ts'
import type { AlertDelivery, DirectOutcome } from './delivery.ts'
import type { AlertNotification } from './notification.ts'

/** Milliseconds from the start to the first evaluation, which must come before the end of a server that crashes early. */
const FIRST_MS = 1000
const INTERVAL_MS = 60_000
/** Milliseconds after which a condition that cannot be read counts as unknown. */
const READ_TIMEOUT_MS = 20_000
/** Evaluations without the database after which its loss is an alert. */
const LOST_AFTER = 3

export interface AlertsOptions {
  readonly database: Database
  readonly conditions: readonly AlertCondition[]
  readonly delivery: Pick<AlertDelivery, 'enqueue' | 'sendNow'>
  /** Returns the name of this node. */
  readonly node: () => string
  readonly log: Log
}

/**
 * Evaluates conditions every minute, and notifies administrators when one starts, once a day while it lasts, and when it has
 * ended. The state is in the database: a restart repeats no notification, and of several nodes one sends it, because the change of
 * state and the queued notification are one transaction. Only the loss of the database itself is handled in memory.
 */
export class Alerts {
  readonly #options: AlertsOptions
  #stop = () => {}
  #current: readonly Alert[] = []
  /** Successive evaluations without the database. */
  #lost = 0
  /** When the loss of the database was notified; null when it was not. */
  #lostSince: Date | null = null

  constructor(options: AlertsOptions) {
    this.#options = options
  }

  /** The alerts at the last evaluation, oldest first. */
  get current(): readonly Alert[] {
    return this.#current
  }

  start(): void {
    const { log } = this.#options
    this.#stop = recur(() => this.evaluate(), {
      delay: FIRST_MS,
      interval: INTERVAL_MS,
      failed: (reason) => log.warn({ reason }, 'evaluating alerts failed'),
    })
  }

  stop(): void {
    this.#stop()
  }

  /** Reads all conditions, and notifies of changes. */
  async evaluate(): Promise<void> {
    const readings = await this.#readAll()
    try {
      this.#current = await this.#apply(readings)
    } catch (error) {
      await this.#noteLost()
      throw error
    }
    await this.#noteFound()
  }

  /** Sends a test notification now. */
  test(): Promise<DirectOutcome> {
    const at = new Date().toISOString()
    const problem = notice('alertTest')
    return this.#options.delivery.sendNow({
      event: 'test',
      alert: 'test',
      node: this.#options.node(),
      problem,
      since: at,
      at,
    })
  }

  /** Reads the conditions. One that fails is unknown, so its alert neither starts nor ends. */
  async #readAll(): Promise<Map<string, Reading | 'unknown'>> {
    const { conditions, node, log } = this.#options
    const readings = await Promise.all(
      conditions.map(async (condition): Promise<readonly [string, Reading | 'unknown']> => {
        const { id, isOfNode } = condition
        const key = keyOf(condition, node())
        try {
          return [key, { id, isOfNode, problem: await inTime(condition.read()) }]
        } catch (error) {
          log.warn(
            { alert: id, error: error instanceof Error ? error.message : String(error) },
            'reading alert condition failed',
          )
          return [key, 'unknown']
        }
      }),
    )
    return new Map(readings)
  }

  /** Changes the state of all alerts. @returns the current ones */
  async #apply(readings: ReadonlyMap<string, Reading | 'unknown'>): Promise<readonly Alert[]> {
    const { database, node, delivery, log } = this.#options
    const hasProblem = [...readings.values()].some((reading) => reading !== 'unknown' && reading.problem !== null)
    // In the usual case there is nothing to change and nothing to lock.
    if (!hasProblem && (await readAlerts(database)).length === 0) return []
    return database.transaction(async (transaction) => {
      await lockAlerts(transaction)
      const now = await databaseTime(transaction)
      const before = new Map((await readAlerts(transaction)).map((alert) => [alert.key, alert]))
      const current: Alert[] = []
      for (const key of new Set([...before.keys(), ...readings.keys()])) {
        const known = before.get(key) ?? null
        const reading = readings.get(key) ?? null
        if (reading === 'unknown') {
          if (known) current.push(known)
          continue
        }
        const { alert, event } = nextState(known, reading, node(), now)
        if (alert) {
          current.push(alert)
          await storeAlert(transaction, alert)
        } else if (known) await removeAlert(transaction, key)
        if (!event) continue
        const about = (alert ?? known)!
        await delivery.enqueue(notificationOf(event, about, now), transaction)
        transaction.afterCommit(() => logEvent(log, event, about))
      }
      return current.toSorted((a, b) => a.since - b.since)
    })
  }

  async #noteLost(): Promise<void> {
    this.#lost++
    if (this.#lost < LOST_AFTER || this.#lostSince) return
    this.#lostSince = new Date()
    await this.#sendOfDatabase('started', this.#lostSince)
  }

  async #noteFound(): Promise<void> {
    this.#lost = 0
    if (!this.#lostSince) return
    const since = this.#lostSince
    this.#lostSince = null
    await this.#sendOfDatabase('ended', since)
  }

  async #sendOfDatabase(event: AlertEvent, since: Date): Promise<void> {
    const { delivery, node, log } = this.#options
    const problem = notice('alertDatabaseDown')
    logEvent(log, event, { id: 'database', node: node(), problem })
    const at = new Date().toISOString()
    await delivery.sendNow({ event, alert: 'database', node: node(), problem, since: since.toISOString(), at })
  }
}

function notificationOf(event: AlertEvent, { id, node, problem, since }: Alert, now: number): AlertNotification {
  return { event, alert: id, node, problem, since: new Date(since).toISOString(), at: new Date(now).toISOString() }
}

function logEvent(log: Log, event: AlertEvent, { id, node, problem }: Pick<Alert, 'id' | 'node' | 'problem'>): void {
  const fields = { alert: id, node, problem }
  if (event === 'ended') log.info(fields, 'alert ended')
  else if (event === 'started') log.error(fields, 'alert started')
  else log.warn(fields, 'alert continues')
}

async function inTime(reading: Promise<Notice | null>): Promise<Notice | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the condition could not be read in time')), READ_TIMEOUT_MS)
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}
