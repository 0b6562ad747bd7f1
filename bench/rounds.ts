import { type Case, type Stage, smallestResponse } from './cases.ts'
import type { Contestant, ContestantName, WireRequest } from './contestants/contestant.ts'
import type { LoadGenerator, LoadResult } from './load.ts'
import type { Options } from './options.ts'
import { processorTime } from './server-usage.ts'
import { median } from './statistics.ts'

/** One round of one contestant. */
export interface Measurement {
  /** Requests, or objects where a request handles many. */
  readonly perSecond: number
  /** Latency of a request in milliseconds. */
  readonly p50: number
  readonly p99: number
  /**
   * CPU time of the server process per request in microseconds; null where unavailable. It measures the cost of a request
   * independently of other load. It excludes the database.
   */
  readonly processor: number | null
}

export interface CaseFigures {
  readonly name: Case['name']
  readonly title: string
  readonly objects: number
  /**
   * The rounds of each contestant in order; rounds with the same index ran one after the other. Contestants that do not take
   * part are absent.
   */
  readonly rounds: Partial<Record<ContestantName, Measurement[]>>
}

/** A contestant prepared for a case. */
interface Runner {
  readonly contestant: Contestant
  readonly requests: readonly WireRequest[]
  readonly minBody: number
}

/** Groups cases whose rounds alternate: each with the cases compared with it. */
export function inGroups(cases: readonly Case[]): Case[][] {
  const groups: Case[][] = []
  for (const one of cases) {
    const group = groups.find((members) => members.some(({ name }) => name === one.beside))
    if (group) group.push(one)
    else groups.push([one])
  }
  return groups
}

/**
 * Runs one round of every case of the group per contestant after a warm-up, alternating, so that changes in machine speed affect
 * all equally; compares acknowledged requests with stored data.
 */
export async function runGroup(
  group: readonly Case[],
  contestants: ReadonlyMap<Contestant, Stage>,
  load: LoadGenerator,
  options: Options,
): Promise<CaseFigures[]> {
  const figures = group.map(({ name, title, objects }): CaseFigures => ({ name, title, objects, rounds: {} }))
  const titles = group.map(({ title }) => title).join(' | ')
  for (let round = 0; round <= options.rounds; round++) {
    process.stderr.write(`${titles}: ${round === 0 ? 'warm-up' : `round ${round} of ${options.rounds}`}\n`)
    const seconds = round === 0 ? Math.max(2, options.seconds / 2) : options.seconds
    // The order alternates, because a contestant runs while the database still writes data of the previous one.
    const isForward = round % 2 === 0
    for (const [contestant, stage] of turned([...contestants], isForward)) {
      for (const [index, one] of turned([...group.entries()], isForward)) {
        const requests = await one.requests(contestant, stage)
        if (!requests) continue
        const runner = { contestant, requests, minBody: await smallestResponse(one, contestant, requests) }
        const connections = Math.min(options.connections, one.connections)
        const measured = await measure(one, runner, load, connections, seconds)
        const { rounds } = figures[index]!
        if (round > 0) rounds[contestant.name] = [...(rounds[contestant.name] ?? []), measured]
      }
    }
  }
  return figures
}

function turned<T>(list: T[], isForward: boolean): T[] {
  return isForward ? list : list.reverse()
}

async function measure(
  one: Case,
  { contestant, requests, minBody }: Runner,
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
    minBody,
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

type Figure = 'perSecond' | 'p50' | 'p99'

/** Returns the median over the rounds. */
export function typical(rounds: readonly Pick<LoadResult, Figure>[], figure: Figure): number {
  return median(rounds.map((round) => round[figure]))
}

/** Returns Homeport's speed relative to `other`: the median of the ratios of each round. null without `other` */
export function ratioTo(other: ContestantName, { rounds }: CaseFigures): number | null {
  return rateRatio(rounds.homeport, rounds[other])
}

/** Returns the median of the ratios of rounds that ran one after the other; null unless both were run. */
export function rateRatio(
  ours: readonly Measurement[] | undefined,
  theirs: readonly Measurement[] | undefined,
): number | null {
  if (!ours || !theirs) return null
  return median(ours.map((round, index) => round.perSecond / theirs[index]!.perSecond))
}

/** Returns the median CPU time of a request; null where unavailable. */
export function processorOf(rounds: readonly Measurement[]): number | null {
  const known = rounds.flatMap(({ processor }) => (processor === null ? [] : [processor]))
  return known.length === 0 ? null : median(known)
}
