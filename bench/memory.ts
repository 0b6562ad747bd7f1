import { setTimeout as sleep } from 'node:timers/promises'
import type { Contestant, WireRequest } from './contestants/contestant.ts'
import type { LoadGenerator } from './load.ts'
import type { Options } from './options.ts'
import { residentMemory } from './server-usage.ts'
import { groupOf, sampleObject, seed, spread } from './workload.ts'

const STEPS = 10
const OBJECTS = 1000

/** Bytes of resident memory. */
export interface MemoryFigures {
  readonly atRest: number
  readonly samples: readonly { readonly requests: number; readonly resident: number }[]
}

/** Measures the memory of a newly started server: at rest, and over many requests of all kinds. */
export async function measureMemory(
  contestant: Contestant,
  load: LoadGenerator,
  options: Options,
): Promise<MemoryFigures> {
  await sleep(3000)
  const atRest = residentMemory(contestant.pid)
  const requests = mixed(contestant, await seed(contestant, 'Mixed', OBJECTS))
  const samples: { requests: number; resident: number }[] = []
  const amount = Math.max(options.connections, Math.round(options.requests / STEPS))
  for (let step = 1; step <= STEPS; step++) {
    process.stderr.write(`memory: step ${step} of ${STEPS}\n`)
    await load.run({ url: contestant.url, requests, connections: options.connections, until: { amount }, minBody: 2 })
    samples.push({ requests: step * amount, resident: residentMemory(contestant.pid) })
  }
  return { atRest, samples }
}

/** Returns a typical mix of requests: mostly reads. */
function mixed(contestant: Contestant, ids: readonly string[]): WireRequest[] {
  const className = 'Mixed'
  return spread(OBJECTS, OBJECTS).map((n) => {
    const id = ids[n]!
    switch (n % 10) {
      case 0:
      case 1:
        return contestant.wire({ kind: 'create', className: 'Made', object: sampleObject(n, OBJECTS) })
      case 2:
      case 3:
        return contestant.wire({ kind: 'increment', className, id, field: 'score' })
      case 4:
      case 5:
        return contestant.wire({ kind: 'query', className, field: 'group', value: groupOf(n, OBJECTS) })
      default:
        return contestant.wire({ kind: 'get', className, id })
    }
  })
}
