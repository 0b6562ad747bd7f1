import type { Bar } from '../bars.ts'
import { typical } from '../rounds.ts'
import { median } from '../statistics.ts'
import { memoryOfConnection } from './connections.ts'
import type { MessagingFigures } from './figures.ts'
import { depthRatio } from './history.ts'
import { costOfLogin, slowdownOfReads } from './logins.ts'
import { costRatio } from './rooms.ts'

const KILOBYTE = 1000

/** Returns the messaging targets of the measured parts. */
export function messagingBars({ rooms, pairs, connections, history, logins }: MessagingFigures): Bar[] {
  const bars: Bar[] = []
  const atMost = (promise: string, measured: number | null | undefined, bar: number, unit = '', digits = 2) => {
    if (measured != null) bars.push({ promise, measured: measured.toFixed(digits) + unit, kept: measured <= bar })
  }
  const withInFlight = (inFlight: number) => rooms?.figures.find((figure) => figure.inFlight === inFlight)
  const [busy, calm] = [withInFlight(20), withInFlight(1)]
  atMost('busy room: processor time of a delivery at most 0.4 of the broadcaster', busy && costRatio(busy), 0.4)
  atMost('calm room: processor time of a delivery at most 1.25 of the broadcaster', calm && costRatio(calm), 1.25)
  atMost('busy room: p99 below 100 ms', busy && typical(busy.homeport, 'p99'), 100, ' ms', 0)
  const sends = pairs && median(pairs.rounds.map(({ sent }) => sent))
  if (sends !== undefined)
    bars.push({
      promise: 'pairs: at least 5000 acknowledged sends a second',
      measured: sends.toFixed(0),
      kept: sends >= 5000,
    })
  const memory = connections && memoryOfConnection(connections) / KILOBYTE
  atMost('idle connection: at most 25 KB of server memory', memory, 25, ' KB', 1)
  atMost('history: a page at the far end at most 1.5 times the first', history && depthRatio(history), 1.5)
  const back = logins && median(logins.logins.map(({ perSecond }) => perSecond))
  if (back !== undefined) {
    const promise = 'logins: at least 2000 logins with a join a second'
    bars.push({ promise, measured: back.toFixed(0), kept: back >= 2000 })
  }
  atMost('logins: at most 0.8 ms of processor time each, with the database', logins && costOfLogin(logins), 0.8, ' ms')
  atMost('reads during logins: p99 within 5 times that without', logins && slowdownOfReads(logins, 'p99'), 5)
  return bars
}
