import { setTimeout as sleep } from 'node:timers/promises'
import { Api } from './api.ts'
import { ChatWriters } from './chat-writers.ts'
import { FAULTS } from './faults.ts'
import type { Installation } from './installation.ts'
import { differencesOfMessages } from './message-history.ts'
import { differencesOfObjects } from './object-history.ts'
import { ObjectWriters, prepareNames } from './object-writers.ts'
import { PushWriters } from './push-writers.ts'
import type { Random } from './random.ts'
import { FaultLog } from './trouble.ts'

/** Writing clients of each kind. */
const WRITERS = 6

/**
 * Milliseconds. A request can wait for two statements, the running one and its own, and for each of them for a connection to a
 * database that recovers on a busy machine.
 */
const LONGEST_WAIT = 30_000

/** The result of a round, with its violations. */
export interface RoundReport {
  readonly faults: readonly string[]
  readonly differences: readonly string[]
  /** Object writes, and messages. */
  readonly acknowledged: number
  readonly messages: number
  readonly unknown: number
  readonly sentAgain: number
  /** The time from the fault until all servers reported that they are healthy, in milliseconds. */
  readonly outage: number
  readonly failures: ReadonlyMap<string, number>
  /** The data to compare again later. */
  readonly writers: ObjectWriters
  readonly pushes: ReadonlySet<string>
}

/**
 * Runs a round: clients write and send messages, something is killed, everything recovers, and stored data is compared with the
 * acknowledgments.
 */
export async function runRound(installation: Installation, random: Random, round: number): Promise<RoundReport> {
  const faults = new FaultLog()
  const api = new Api(installation, faults, LONGEST_WAIT)
  await installation.prepare(prepareNames)
  const chat = await ChatWriters.start(api, random.fork(), round)
  const writers = await ObjectWriters.start(api, round, WRITERS)
  const pushes = new PushWriters(api, round)
  await sleep(random.between(50, 700))
  const since = performance.now()
  const { names, wrong } = await strike(installation, random, api)
  await installation.healthy()
  const outage = performance.now() - since
  await sleep(random.between(0, 300))
  await Promise.all([writers.stop(), pushes.stop()])
  await chat.stop()
  const stored = await writers.read()
  const conversations = await chat.read()
  return {
    faults: names,
    differences: [
      ...wrong,
      ...differencesOfObjects(writers.history, stored),
      ...conversations.flatMap(({ history, stored, reader }) => differencesOfMessages(history, stored, reader)),
      // Collected last, because the reads above can add violations.
      ...faults.violations,
      ...installation.faultsInLogs(),
    ],
    acknowledged: writers.history.acknowledged,
    messages: chat.acknowledged,
    unknown: writers.history.unknown,
    sentAgain: chat.sentAgain,
    outage,
    failures: faults.failures,
    writers,
    pushes: pushes.ids,
  }
}

/** Causes one fault, or a second one during recovery from the first. */
async function strike(
  installation: Installation,
  random: Random,
  api: Api,
): Promise<{ names: string[]; wrong: string[] }> {
  const possible = FAULTS.filter(({ shapes }) => shapes.includes(installation.shape))
  const held = (milliseconds: number) => {
    api.held += milliseconds
  }
  const faults = [random.pick(possible), ...(random.chance(0.2) ? [random.pick(possible)] : [])]
  const wrong: string[] = []
  for (const [index, fault] of faults.entries()) {
    if (index > 0) await sleep(random.between(0, 500))
    const said = await fault.strike({ installation, random, held })
    if (said !== null) wrong.push(said)
  }
  return { names: faults.map(({ name }) => name), wrong }
}
