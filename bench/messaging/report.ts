import { processorOf, typical } from '../rounds.ts'
import { median } from '../statistics.ts'
import { messagingBars } from './bars.ts'
import { type ConnectionFigures, memoryOfConnection } from './connections.ts'
import type { MessagingFigures } from './figures.ts'
import { depthRatio, type HistoryFigures } from './history.ts'
import { type LoginRound, loginsToRelay, medianOf, type StormFigures } from './logins.ts'
import type { DeliveryMeasurement } from './measurement.ts'
import type { PairFigures } from './pairs.ts'
import { costRatio, type RoomFigures } from './rooms.ts'
import { integer, section } from './table.ts'

/** Formats the figures as text. */
export function report(figures: MessagingFigures): string {
  const { machine, options, rooms, pairs, connections, history, logins } = figures
  const database = options.sharedDatabase ? ', on a database that could be shared' : ''
  const sections = [
    `Homeport messaging${database}, ${figures.date}\n` +
      `${machine.processors} x ${machine.model}, Node ${machine.node}; median of ${options.rounds} rounds of ${options.seconds} s`,
  ]
  if (rooms) sections.push(roomSection(rooms))
  if (pairs) sections.push(pairSection(pairs))
  if (connections) sections.push(connectionSection(connections))
  if (history) sections.push(historySection(history))
  if (logins) sections.push(...loginSections(logins))
  const bars = messagingBars(figures)
  if (bars.length > 0) {
    const lines = bars.map(({ promise, measured, kept }) => [promise, measured, kept ? 'kept' : 'MISSED'])
    sections.push(section('Bars', [['promise', 'measured', ''], ...lines]))
  }
  return `${sections.join('\n\n')}\n`
}

const DELIVERY_COLUMNS = ['deliveries/s', 'sends/s', 'p50 ms', 'p99 ms', 'µs/delivery', 'server busy', 'bytes'] as const

function deliveryCells(rounds: readonly DeliveryMeasurement[]): string[] {
  const busy = rounds.flatMap(({ busy }) => (busy === null ? [] : [busy]))
  return [
    integer(typical(rounds, 'perSecond')),
    integer(median(rounds.map(({ sent }) => sent))),
    typical(rounds, 'p50').toFixed(1),
    typical(rounds, 'p99').toFixed(1),
    processorOf(rounds)?.toFixed(2) ?? '?',
    busy.length === 0 ? '?' : `${(median(busy) * 100).toFixed(0)} %`,
    String(rounds[0]!.bytes),
  ]
}

function roomSection({ members, figures }: RoomFigures): string {
  const lines = figures.flatMap((figure) => {
    const { inFlight, homeport, bare } = figure
    return [
      [`Homeport, ${inFlight} under way`, ...deliveryCells(homeport), costRatio(figure)?.toFixed(2) ?? '?'],
      [`broadcaster, ${inFlight} under way`, ...deliveryCells(bare), ''],
    ]
  })
  return section(`A chat room of ${members}`, [['', ...DELIVERY_COLUMNS, 'cost ÷ broadcaster'], ...lines])
}

function pairSection({ pairs, rounds }: PairFigures): string {
  return section(`${pairs} conversations of two, stored`, [
    ['', ...DELIVERY_COLUMNS],
    ['Homeport', ...deliveryCells(rounds)],
  ])
}

function connectionSection(figures: ConnectionFigures): string {
  const { connections, before, after, logins } = figures
  const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(0)
  return section('Idle clients, resident memory of the server process', [
    ['clients', 'before, MB', 'after, MB', 'KB each', 'logins/s'],
    [
      integer(connections),
      megabytes(before),
      megabytes(after),
      (memoryOfConnection(figures) / 1000).toFixed(1),
      integer(logins),
    ],
  ])
}

function historySection(figures: HistoryFigures): string {
  const { depth, first, deep } = figures
  return section(`A page of history of ${integer(depth)} messages, p50 in milliseconds`, [
    ['', 'newest', 'far end', 'ratio'],
    ['20 messages', median(first).toFixed(2), median(deep).toFixed(2), depthRatio(figures).toFixed(2)],
  ])
}

function loginSections(figures: StormFigures): string[] {
  const { underWay, logins, reads, readsDuring } = figures
  const of = (figure: keyof LoginRound) => medianOf(logins, (round) => round[figure])
  const cost = (figure: 'server' | 'database' | 'relay') => of(figure)?.toFixed(2) ?? '?'
  const readCells = (rounds: StormFigures['reads']) => [
    integer(typical(rounds, 'perSecond')),
    typical(rounds, 'p50').toFixed(1),
    typical(rounds, 'p99').toFixed(1),
  ]
  return [
    section(`Clients that come back, ${underWay} at once`, [
      ['', 'logins/s', 'p50 ms', 'p99 ms', 'server, ms each', 'database, ms each', 'bare relay, ms each', '÷ relay'],
      [
        'login with a join',
        integer(of('perSecond')!),
        of('p50')!.toFixed(0),
        of('p99')!.toFixed(0),
        cost('server'),
        cost('database'),
        cost('relay'),
        loginsToRelay(figures)?.toFixed(1) ?? '?',
      ],
    ]),
    section('Reads over HTTP meanwhile', [
      ['', 'reads/s', 'p50 ms', 'p99 ms'],
      ['without logins', ...readCells(reads)],
      ['during logins', ...readCells(readsDuring)],
    ]),
  ]
}
