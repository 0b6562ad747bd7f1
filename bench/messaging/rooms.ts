import type { Cleanup } from '../cleanup.ts'
import { median } from '../statistics.ts'
import { startBare } from './bare-process.ts'
import { Crowd, type CrowdSpec } from './crowd.ts'
import { type DeliveryMeasurement, measureRun, measureStored } from './measurement.ts'
import type { MessagingOptions } from './options.ts'
import type { MessagingServer } from './server.ts'

/** Pending messages of the sender: in a busy room, and in a quiet one. */
const IN_FLIGHT = [20, 1] as const

/** The figures of a Homeport room and the bare broadcaster, with a number of pending messages. */
export interface RoomFigure {
  readonly inFlight: number
  /** Rounds with the same index ran one after the other. */
  readonly homeport: readonly DeliveryMeasurement[]
  readonly bare: readonly DeliveryMeasurement[]
}

export interface RoomFigures {
  readonly members: number
  readonly figures: readonly RoomFigure[]
}

/** Measures a sender in a room and at a bare broadcaster of the same size, alternating. */
export async function measureRooms(
  server: MessagingServer,
  options: MessagingOptions,
  cleanup: Cleanup,
): Promise<RoomFigures> {
  const { members, rounds, seconds } = options
  const broadcaster = await cleanup.keep(startBare('broadcaster'), (broadcaster) => broadcaster.stop())
  process.stderr.write(`rooms: ${members} members come in\n`)
  const gather = (spec: CrowdSpec) => cleanup.keep(Crowd.gather(spec), (crowd) => crowd.disperse())
  const room = await gather({ kind: 'room', url: server.url, appId: server.appId, members })
  const bare = await gather({ kind: 'broadcast', url: broadcaster.url, members })
  const figures = IN_FLIGHT.map((inFlight) => ({
    inFlight,
    homeport: [] as DeliveryMeasurement[],
    bare: [] as DeliveryMeasurement[],
  }))
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(`rooms: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}\n`)
    for (const figure of figures) {
      const run = { seconds, inFlight: figure.inFlight }
      const ours = await measureStored(room, server, run)
      const theirs = await measureRun(bare, broadcaster.pid, run)
      // Round 0 warms up.
      if (round === 0) continue
      figure.homeport.push(ours)
      figure.bare.push(theirs)
    }
  }
  return { members, figures }
}

/**
 * Returns the cost of a Homeport delivery relative to the broadcaster: the median of the ratios of each round. null where
 * unavailable.
 */
export function costRatio({ homeport, bare }: RoomFigure): number | null {
  const ratios = homeport.flatMap(({ processor }, round) => {
    const theirs = bare[round]!.processor
    return processor === null || theirs === null ? [] : [processor / theirs]
  })
  return ratios.length === 0 ? null : median(ratios)
}
