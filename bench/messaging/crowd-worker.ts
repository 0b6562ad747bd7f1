import { parentPort, workerData } from 'node:worker_threads'
import { gatherBroadcast } from './broadcast.ts'
import type { CrowdSpec, Outcome, Run } from './crowd.ts'
import { gatherReader } from './history-reader.ts'
import { gatherIdle } from './idle.ts'
import { gatherPairs } from './pairs-crowd.ts'
import { gatherReturning } from './returning.ts'
import { gatherRoom } from './room.ts'

/** Additional time until all requests are finished, in milliseconds. */
const TIMEOUT_MS = 30_000

// A failure here ends the thread, and rejects its waiting callers.
const run = await gather(workerData as CrowdSpec)
const port = parentPort!
port.on('message', async (how: Run) => {
  const late = setTimeout(
    () => {
      throw new Error(`Messages are under way ${TIMEOUT_MS} ms after the last one was sent.`)
    },
    how.seconds * 1000 + TIMEOUT_MS,
  )
  port.postMessage(await run(how))
  clearTimeout(late)
})
port.postMessage('ready')

function gather(spec: CrowdSpec): Promise<(how: Run) => Promise<Outcome>> {
  switch (spec.kind) {
    case 'room':
      return gatherRoom(spec)
    case 'broadcast':
      return gatherBroadcast(spec)
    case 'pairs':
      return gatherPairs(spec)
    case 'idle':
      return gatherIdle(spec)
    case 'history':
      return gatherReader(spec)
    case 'returning':
      return gatherReturning(spec)
  }
}
