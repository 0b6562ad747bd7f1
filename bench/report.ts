import { barsOf, memoryGrowth } from './bars.ts'
import { CONTESTANTS, type ContestantName } from './contestants/contestant.ts'
import type { Figures } from './figures.ts'
import type { LoadResult } from './load.ts'
import { type LoginFigures, slowdown } from './logins.ts'
import { type CaseFigures, type Measurement, processorOf, ratioTo, typical } from './rounds.ts'
import { growth, type SizeFigures } from './size.ts'
import { median } from './statistics.ts'

type Table = readonly (readonly string[])[]

/** Formats the figures as text. */
export function report(figures: Figures): string {
  const { machine, cases, size, start, memory, logins } = figures
  const sections = [
    `Homeport, ${figures.date}\n${machine.processors} x ${machine.model}, Node ${machine.node}, PostgreSQL ${machine.postgres}` +
      (machine.parseServer ? `, Parse Server ${machine.parseServer}` : ''),
  ]
  if (cases && cases.length > 0) sections.push(...casesSections(cases, figures.options))
  if (size) sections.push(sizeSection(size))
  if (start) {
    const line = (name: string, times: readonly number[]) => [
      name,
      inSeconds(median(times)),
      times.map(inSeconds).join(' '),
    ]
    sections.push(
      section('Start, from the command to the first answer, seconds', [
        ['data directory', 'median', 'each'],
        line('empty', start.empty),
        line('existing', start.existing),
      ]),
    )
  }
  if (memory) {
    sections.push(
      section('Resident memory of the server process, MB', [
        ['requests', 'resident'],
        ['at rest', megabytes(memory.atRest)],
        ...memory.samples.map(({ requests, resident }) => [integer(requests), megabytes(resident)]),
        ['last ÷ first', memoryGrowth(memory).toFixed(2)],
      ]),
    )
  }
  if (logins) sections.push(loginsSection(logins, figures.options))
  const bars = barsOf(figures)
  if (bars.length > 0) {
    const lines = bars.map(({ promise, measured, kept }) => [promise, measured, kept ? 'kept' : 'MISSED'])
    sections.push(section('Bars', [['promise', 'measured', ''], ...lines]))
  }
  return `${sections.join('\n\n')}\n`
}

function casesSections(cases: readonly CaseFigures[], { rounds, seconds, connections }: Figures['options']): string[] {
  const present = CONTESTANTS.filter((name) => cases.some((figures) => figures.rounds[name] !== undefined))
  const others = present.filter((name) => name !== 'homeport')
  const rates = cases.map((figures) => [
    figures.title,
    ...present.map((name) => orAbsent(figures.rounds[name], (rounds) => integer(typical(rounds, 'perSecond')))),
    ...others.map((name) => ratioTo(name, figures)?.toFixed(2) ?? ABSENT),
  ])
  const times = cases.map((figures) => [
    figures.title,
    ...present.flatMap((name) => [
      orAbsent(figures.rounds[name], (rounds) => typical(rounds, 'p50').toFixed(1)),
      orAbsent(figures.rounds[name], (rounds) => typical(rounds, 'p99').toFixed(1)),
    ]),
  ])
  const costs = cases.map((figures) => [
    figures.title,
    ...present.map((name) => orAbsent(figures.rounds[name], (rounds) => processorOf(rounds)?.toFixed(0) ?? '?')),
  ])
  return [
    section(
      `Requests per second (batch and scan: objects per second), ${connections} connections (scan: 4), median of ${rounds} rounds of ${seconds} s`,
      [['', ...present.map(title), ...others.map((name) => `÷ ${title(name)}`)], ...rates],
    ),
    section('Milliseconds of a request', [['', ...present.flatMap((name) => [`${title(name)} p50`, 'p99'])], ...times]),
    section('Processor time of the server process, microseconds a request', [['', ...present.map(title)], ...costs]),
  ]
}

/** The figure of a contestant that does not take part in a case. */
const ABSENT = '-'

function orAbsent(
  rounds: readonly Measurement[] | undefined,
  text: (rounds: readonly Measurement[]) => string,
): string {
  return rounds ? text(rounds) : ABSENT
}

function sizeSection({ sizes, figures }: SizeFigures): string {
  return section('A class that grows, p50 in milliseconds', [
    ['', 'connections', `${integer(sizes.small)} objects`, `${integer(sizes.large)} objects`, 'ratio'],
    ...figures.map((figure) => [
      figure.operation === 'get' ? 'get by id' : 'query, finds 10',
      String(figure.connections),
      median(figure.small).toFixed(2),
      median(figure.large).toFixed(2),
      growth(figure).toFixed(2),
    ]),
  ])
}

function loginsSection(figures: LoginFigures, { seconds }: Figures['options']): string {
  const { connections, rate, logins, loginsDuringGets, gets, getsDuringLogins } = figures
  const line = (name: string, rounds: readonly LoadResult[], digits: number) => [
    name,
    integer(typical(rounds, 'perSecond')),
    typical(rounds, 'p50').toFixed(digits),
    typical(rounds, 'p99').toFixed(digits),
  ]
  return section(
    `Logins at full speed and ${rate} gets per second, ${connections} connections each, milliseconds, median of ${gets.length} rounds of ${seconds} s`,
    [
      ['', 'per second', 'p50', 'p99'],
      line('logins', logins, 0),
      line('logins during gets', loginsDuringGets, 0),
      line('gets', gets, 2),
      line('gets during logins', getsDuringLogins, 2),
      ['during ÷ without', '', slowdown(figures, 'p50').toFixed(2), slowdown(figures, 'p99').toFixed(2)],
    ],
  )
}

function title(name: ContestantName): string {
  switch (name) {
    case 'homeport':
      return 'Homeport'
    case 'before':
      return 'before'
    case 'bare':
      return 'bare limit'
    case 'parse-server':
      return 'Parse Server'
  }
}

/** Formats a table: the first column is text, the others are right-aligned figures; the first line is the heading. */
function section(heading: string, table: Table): string {
  const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)))
  const lines = table.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
  return [heading, '', ...lines.map((line) => `  ${line}`)].join('\n')
}

const integer = (value: number) => Math.round(value).toLocaleString('en').replaceAll(',', ' ')
const inSeconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2)
const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(0)
