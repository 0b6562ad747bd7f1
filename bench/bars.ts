import type { Figures } from './figures.ts'
import { slowdown } from './logins.ts'
import { type CaseFigures, rateRatio, ratioTo, typical } from './rounds.ts'
import { growth } from './size.ts'
import { median } from './statistics.ts'

/** A speed target of Homeport, and the result of this run. */
export interface Bar {
  readonly promise: string
  readonly measured: string
  readonly kept: boolean
}

const MEGABYTE = 1_000_000

/** Returns the targets of the measured parts. */
export function barsOf({ cases = [], size, start, memory, logins }: Figures): Bar[] {
  const bars: Bar[] = []
  const atLeast = (promise: string, measured: number | null | undefined, bar: number) => {
    if (measured != null) bars.push({ promise, measured: measured.toFixed(2), kept: measured >= bar })
  }
  const atMost = (promise: string, measured: number | undefined, bar: number, unit = '', digits = 2) => {
    if (measured !== undefined) bars.push({ promise, measured: measured.toFixed(digits) + unit, kept: measured <= bar })
  }
  for (const figures of cases) {
    atLeast(`${figures.name}: at least 0.95 of the version before`, ratioTo('before', figures), 0.95)
    if (!['create', 'get', 'increment'].includes(figures.name)) continue
    atLeast(`${figures.name}: at least 0.8 of the bare limit`, ratioTo('bare', figures), 0.8)
    atLeast(`${figures.name}: at least 3 times Parse Server`, ratioTo('parse-server', figures), 3)
  }
  atLeast('batch: at least 5 times the objects per second of single creates', batchGain(cases), 5)
  for (const name of ['get', 'query'] as const) {
    atLeast(`${name} with session: at least 0.9 of the same without`, sessionShare(cases, name), 0.9)
  }
  for (const figure of size?.figures ?? []) {
    const promise = `${figure.operation} over ${figure.connections === 1 ? '1 connection' : `${figure.connections} connections`}: p50 within 3 times on the large class`
    atMost(promise, growth(figure), 3)
  }
  atMost('memory at rest: under 150 MB', memory && memory.atRest / MEGABYTE, 150, ' MB', 0)
  atMost('memory under load: steady after the first tenth (within 1.25 times)', memory && memoryGrowth(memory), 1.25)
  atMost('start on an empty data directory: under 6 s', start && median(start.empty) / 1000, 6, ' s')
  atMost('start on an existing data directory: under 3 s', start && median(start.existing) / 1000, 3, ' s')
  atMost('gets during logins: p99 within 2 times that without', logins && slowdown(logins, 'p99'), 2)
  return bars
}

/** Returns the memory at the end relative to that after the first tenth of the requests, when all code is warm. */
export function memoryGrowth({ samples }: NonNullable<Figures['memory']>): number {
  return samples.at(-1)!.resident / samples[0]!.resident
}

/** Returns the speed of Homeport with session checks relative to that without. */
function sessionShare(cases: readonly CaseFigures[], name: 'get' | 'query'): number | null {
  return rateRatio(ownRounds(cases, `${name}-with-session`), ownRounds(cases, name))
}

function batchGain(cases: readonly CaseFigures[]): number | null {
  const rate = (name: CaseFigures['name']) => {
    const rounds = ownRounds(cases, name)
    return rounds && typical(rounds, 'perSecond')
  }
  const [batch, create] = [rate('batch'), rate('create')]
  return batch !== undefined && create !== undefined ? batch / create : null
}

function ownRounds(cases: readonly CaseFigures[], name: CaseFigures['name']) {
  return cases.find((figures) => figures.name === name)?.rounds.homeport
}
