import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redisServer } from '../../support/redis.ts'
import { Api } from './api.ts'
import { Installation, SHAPES, type Shape } from './installation.ts'
import { differencesOfObjects } from './object-history.ts'
import { unfinishedPushes } from './push-writers.ts'
import { Random } from './random.ts'
import { type RoundReport, runRound } from './round.ts'
import { FaultLog } from './trouble.ts'

export interface CampaignOptions {
  readonly seed: number
  readonly rounds: number
  /** Rounds on one installation before the campaign switches to the next. */
  readonly roundsPerShape: number
  /** No new round starts after so many minutes; null means no limit. */
  readonly minutes: number | null
  readonly shapes: readonly Shape[]
  /** No new round starts once this is aborted. */
  readonly signal?: AbortSignal
  report(line: string): void
}

export interface CampaignReport {
  readonly rounds: number
  readonly byFault: ReadonlyMap<string, number>
  readonly byShape: ReadonlyMap<Shape, number>
  readonly acknowledged: number
  readonly messages: number
  readonly unknown: number
  readonly sentAgain: number
  /** Milliseconds. */
  readonly longestOutage: number
  /** The failures of a round and the location of its data; null when there are none. */
  readonly failed: {
    readonly round: number
    readonly differences: readonly string[]
    readonly directory: string
  } | null
}

/** Returns the shapes supported on this machine. */
export function possibleShapes(): Shape[] {
  return SHAPES.filter((shape) => shape !== 'two nodes with Redis' || redisServer !== null)
}

/**
 * Runs rounds until one fails or all are done. Installations keep their data between rounds; when one stops, the writes of its
 * rounds are compared once more.
 */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const directory = await mkdtemp(join(tmpdir(), 'homeport-crash-'))
  // Under root the databases run as another user, which needs access to the directory.
  await chmod(directory, 0o711)
  const installations = options.shapes.map(
    (shape, number) => new Installation(shape, join(directory, `installation-${number}`)),
  )
  const random = new Random(options.seed)
  const tally = new Tally()
  const end = options.minutes === null ? Number.POSITIVE_INFINITY : Date.now() + options.minutes * 60_000
  const isOver = () => Date.now() >= end || options.signal?.aborted === true
  let failed: CampaignReport['failed'] = null
  for (let round = 0; round < options.rounds && failed === null && !isOver(); ) {
    const installation = installations[Math.floor(round / options.roundsPerShape) % installations.length]!
    const last = Math.min(options.rounds, (Math.floor(round / options.roundsPerShape) + 1) * options.roundsPerShape)
    await installation.start()
    const kept: RoundReport[] = []
    for (; round < last && failed === null && !isOver(); round++) {
      const fork = random.fork()
      const { report, differences } = await tried(runRound(installation, fork, round))
      if (report) {
        kept.push(report)
        tally.add(installation.shape, report)
        options.report(lineOf(round, installation.shape, report))
      }
      if (differences.length > 0) failed = { round, differences, directory }
    }
    if (failed === null) {
      const differences = await lookAgain(installation, kept)
      if (differences.length > 0) failed = { round: round - 1, differences, directory }
    }
    const stopped = await installation.stop()
    if (failed === null && stopped.length > 0) failed = { round: round - 1, differences: stopped, directory }
  }
  // The data is kept for the analysis of a difference.
  if (failed === null) await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  return { ...tally.sums(), failed }
}

/** Returns the report of a round; an exception counts as a failure. */
async function tried(running: Promise<RoundReport>) {
  try {
    const report = await running
    return { report, differences: report.differences }
  } catch (error) {
    return { report: null, differences: [`the round was not brought to its end: ${(error as Error).stack}`] }
  }
}

/** Compares the writes of earlier rounds again: later crashes must not change them, and their pending work must be done. */
async function lookAgain(installation: Installation, reports: readonly RoundReport[]): Promise<string[]> {
  const database = await installation.connect()
  const ids = reports.flatMap(({ pushes }) => [...pushes])
  const differences = await unfinishedPushes(new Api(installation, new FaultLog()), database, ids)
  await database.end()
  for (const { writers } of reports)
    differences.push(...differencesOfObjects(writers.history, await writers.read()).map((text) => `later: ${text}`))
  return differences
}

function lineOf(round: number, shape: Shape, report: RoundReport): string {
  const { faults, acknowledged, unknown, messages, sentAgain, outage, failures } = report
  const answers = [...failures].map(([name, count]) => `${name} ×${count}`).join(', ')
  return (
    `${String(round).padStart(4)}  ${shape}: ${faults.join(', then ')}. ` +
    `${acknowledged} writes and ${messages} messages acknowledged, ${unknown} unknown, ${sentAgain} sent again; ` +
    `well after ${Math.round(outage)} ms${answers && `; ${answers}`}`
  )
}

class Tally {
  #rounds = 0
  #acknowledged = 0
  #messages = 0
  #unknown = 0
  #sentAgain = 0
  #longestOutage = 0
  readonly #byFault = new Map<string, number>()
  readonly #byShape = new Map<Shape, number>()

  add(shape: Shape, report: RoundReport): void {
    this.#rounds++
    this.#acknowledged += report.acknowledged
    this.#messages += report.messages
    this.#unknown += report.unknown
    this.#sentAgain += report.sentAgain
    this.#longestOutage = Math.max(this.#longestOutage, report.outage)
    this.#byShape.set(shape, (this.#byShape.get(shape) ?? 0) + 1)
    for (const fault of report.faults) this.#byFault.set(fault, (this.#byFault.get(fault) ?? 0) + 1)
  }

  sums(): Omit<CampaignReport, 'failed'> {
    return {
      rounds: this.#rounds,
      byFault: this.#byFault,
      byShape: this.#byShape,
      acknowledged: this.#acknowledged,
      messages: this.#messages,
      unknown: this.#unknown,
      sentAgain: this.#sentAgain,
      longestOutage: this.#longestOutage,
    }
  }
}
