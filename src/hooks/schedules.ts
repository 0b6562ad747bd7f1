import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Engine } from './engine.ts'
import { outcomeOf } from './functions-outcome.ts'
import {
  type AppSchedules,
  type ClaimedRun,
  claimRun,
  forgetOldSchedules,
  lookAtSchedules,
  recordRun,
} from './schedules-table.ts'

/** An app with its schedule settings; undefined for none. */
interface ScheduledApp {
  readonly id: string
  readonly settings: object | undefined
}

/** The parts of a running app that its schedules need. */
interface ScheduleTarget {
  readonly engine: Engine
  readonly schedules: AppSchedules
}

export interface SchedulesParts {
  readonly apps: () => readonly ScheduledApp[]
  /** Opens an app. @returns undefined when the app is deleted */
  readonly open: (appId: string) => Promise<ScheduleTarget | undefined>
  readonly log: Log
  /** Interval between two checks of the clock, in milliseconds. */
  readonly interval?: number
}

/** How often an app's schedules are read even if none is due, in milliseconds: another node may have rescheduled them. */
const LOOK_AGAIN = 10_000
/** How long runs may take to end when the server stops, in milliseconds. */
const TIMEOUT_MS = 3000

/**
 * Starts the scheduler (protocol/cloud-code, Scheduled and queued functions). Every node has one; the node that claims a run in
 * the database executes it. A schedule that was due while no server was running runs once.
 * @returns a function that stops it
 */
export function startSchedules(parts: SchedulesParts): () => Promise<void> {
  const clock = new ScheduleClock(parts)
  clock.start()
  return () => clock.stop()
}

class ScheduleClock {
  readonly #parts: SchedulesParts
  readonly #log: Log
  /** By app: the settings at the last reading, and the time of the next one. */
  readonly #looks = new Map<string, { readonly settings: string; readonly lookAt: number }>()
  readonly #runs = new Set<Promise<void>>()
  readonly #stopped = new AbortController()
  #ticking: Promise<void> | undefined
  #failing = false

  constructor(parts: SchedulesParts) {
    this.#parts = parts
    this.#log = parts.log.child({ component: 'schedules' })
  }

  start(): void {
    this.#ticking = this.#tickOn()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#ticking
    const ended = new AbortController()
    const timeout = sleep(TIMEOUT_MS, null, { signal: ended.signal }).catch(() => {})
    await Promise.race([Promise.all(this.#runs), timeout])
    ended.abort()
  }

  async #tickOn(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      try {
        await Promise.all(this.#parts.apps().map((app) => this.#look(app)))
        this.#failing = false
      } catch (error) {
        // Logged once, not for every attempt.
        if (!this.#failing) this.#warn({ error: messageOf(error) }, 'reading schedules failed, retrying')
        this.#failing = true
      }
      await sleep(this.#parts.interval ?? 1000, null, { ref: false, signal }).catch(() => {})
    }
  }

  async #look({ id, settings = {} }: ScheduledApp): Promise<void> {
    const now = new Date()
    const text = JSON.stringify(settings)
    const last = this.#looks.get(id) ?? { settings: '{}', lookAt: Number.POSITIVE_INFINITY }
    const isChanged = last.settings !== text
    if (!isChanged && (text === '{}' || now.getTime() < last.lookAt)) return
    const target = await this.#parts.open(id)
    if (!target) return
    if (isChanged) await forgetOldSchedules(target.schedules)
    const known = await lookAtSchedules(target.schedules, now)
    let lookAt = now.getTime() + LOOK_AGAIN
    for (const schedule of known) {
      if (schedule.nextAt === null) continue
      lookAt = Math.min(lookAt, schedule.nextAt.getTime())
      if (schedule.nextAt > now || schedule.busy) continue
      const run = await claimRun(target.schedules, schedule, now)
      if (run) this.#begin(target, run)
    }
    this.#looks.set(id, { settings: text, lookAt })
  }

  #begin(target: ScheduleTarget, run: ClaimedRun): void {
    const { appId } = target.schedules
    const ended = this.#run(target, run)
      .catch((error) =>
        this.#warn(
          { app: appId, schedule: run.name, error: messageOf(error) },
          'storing result of scheduled run failed',
        ),
      )
      .finally(() => this.#runs.delete(ended))
    this.#runs.add(ended)
  }

  async #run({ engine, schedules }: ScheduleTarget, run: ClaimedRun): Promise<void> {
    const { function: name, parameters, environment } = run.schedule
    const outcome = await outcomeOf(engine, { name, parameters, production: environment === 'production' })
    if (outcome.error !== null)
      engine.noteFailure(`schedule ${run.name}`, `It failed with HTTP status ${outcome.status}.`)
    const disabled = await recordRun(schedules, run, outcome)
    const fields = { app: schedules.appId, schedule: run.name }
    if (disabled) this.#warn(fields, 'schedule disabled after repeated failures')
  }

  #warn(fields: object, text: string): void {
    this.#log.warn(fields, text)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
