import type { Cleanup } from '../cleanup.ts'
import { Crowd } from './crowd.ts'
import { type DeliveryMeasurement, measureStored } from './measurement.ts'
import type { MessagingOptions } from './options.ts'
import type { MessagingServer } from './server.ts'

export interface PairFigures {
  readonly pairs: number
  readonly rounds: readonly DeliveryMeasurement[]
}

/** Lets all members of many conversations of two send as fast as they get acknowledgments. */
export async function measurePairs(
  server: MessagingServer,
  { pairs, rounds, seconds }: MessagingOptions,
  cleanup: Cleanup,
): Promise<PairFigures> {
  process.stderr.write(`pairs: ${pairs} pairs meet\n`)
  const spec = { kind: 'pairs', url: server.url, appId: server.appId, pairs } as const
  const crowd = await cleanup.keep(Crowd.gather(spec), (crowd) => crowd.disperse())
  const measured: DeliveryMeasurement[] = []
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(`pairs: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}\n`)
    const figures = await measureStored(crowd, server, { seconds, inFlight: 1 })
    // Round 0 warms up.
    if (round > 0) measured.push(figures)
  }
  return { pairs, rounds: measured }
}
