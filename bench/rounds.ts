import { type Case, leastAnswer, type Stage } from './cases.ts'
import type { Contestant, ContestantName, WireRequest } from './contestants/contestant.ts'
import type { LoadGenerator } from './load.ts'
import type { Options } from './options.ts'
import { processorTime } from './server-usage.ts'
import { median } from './statistics.ts'

/** One round of one contestant. */
export interface Measurement {
  /** Requests, or objects where a request handles many. */
  readonly perSecond: number
  /** Milliseconds of a request. */
  readonly p50: number
  readonly p99: number
  /**
   * Microseconds of processor time that the server process took for a request; null where the system does not tell. It
   * says what a request costs also on a machine that has other things to do. The time of the database is not in it.
   */
  readonly processor: number | null
}

export interface CaseFigures {
  readonly name: Case['name']
  readonly title: string
  readonly objects: number
  /** Of each contestant its rounds in order; the rounds of the same number ran one after the other. */
  readonly rounds: Partial<Record<ContestantName, Measurement[]>>
}

/** A contestant that is ready for a case. */
interface Runner {
  readonly contestant: Contestant
  readonly requests: readonly WireRequest[]
  readonly leastBody: number
}

/**
 * Lets the contestants take turns, a round each after a warm-up, so that a machine that grows slower or faster does so
 * for all alike; then compares what they acknowledged with what is stored.
 */
export async function runCase(
  one: Case,
  contestants: ReadonlyMap<Contestant, Stage>,
  load: LoadGenerator,
  options: Options,
): Promise<CaseFigures> {
  const connections = Math.min(options.connections, one.connections)
  const rounds: CaseFigures['rounds'] = {}
  for (let round = 0; round <= options.rounds; round++) {
    process.stderr.write(`${one.title}: ${round === 0 ? 'warm-up' : `round ${round} of ${options.rounds}`}\n`)
    for (const [contestant, stage] of contestants) {
      const requests = await one.requests(contestant, stage)
      const runner = { contestant, requests, leastBody: await leastAnswer(one, contestant, requests) }
      const seconds = round === 0 ? Math.max(2, options.seconds / 2) : options.seconds
      const measured = await measure(one, runner, load, connections, seconds)
      if (round > 0) rounds[contestant.name] = [...(rounds[contestant.name] ?? []), measured]
    }
  }
  return { name: one.name, title: one.title, objects: one.objects, rounds }
}

async function measure(
  one: Case,
  { contestant, requests, leastBody }: Runner,
  load: LoadGenerator,
  connections: number,
  seconds: number,
): Promise<Measurement> {
  const before = await one.written?.(contestant)
  const processorBefore = processorTime(contestant.pid)
  const { acknowledged, perSecond, p50, p99 } = await load.run({
    url: contestant.url,
    requests,
    connections,
    until: { seconds },
    leastBody,
  })
  const processorAfter = processorTime(contestant.pid)
  const after = await one.written?.(contestant)
  if (before !== undefined && after !== undefined && after - before !== acknowledged * one.objects) {
    throw new Error(
      `${contestant.name} acknowledged ${acknowledged * one.objects} objects of ${one.name}, ` +
        `but the database has ${after - before} more.`,
    )
  }
  const processor =
    processorBefore === null || processorAfter === null
      ? null
      : ((processorAfter - processorBefore) * 1000) / acknowledged
  return { perSecond: perSecond * one.objects, p50, p99, processor }
}

/** The median over the rounds. */
export function typical(rounds: readonly Measurement[], figure: 'perSecond' | 'p50' | 'p99'): number {
  return median(rounds.map((round) => round[figure]))
}

/** How many times as fast as `other` Homeport was: the median of the ratios of each round. null without `other` */
export function ratioTo(other: ContestantName, { rounds }: CaseFigures): number | null {
  const theirs = rounds[other]
  if (!theirs) return null
  return median(rounds.homeport!.map((round, index) => round.perSecond / theirs[index]!.perSecond))
}

/** The median of the processor time of a request, null where it is not known. */
export function processorOf(rounds: readonly Measurement[]): number | null {
  const known = rounds.flatMap(({ processor }) => (processor === null ? [] : [processor]))
  return known.length === 0 ? null : median(known)
}
