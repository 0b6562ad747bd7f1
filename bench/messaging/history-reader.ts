import { logIn, type Server } from './client.ts'
import type { Outcome, Run } from './crowd.ts'
import { outcomeOf } from './outcome.ts'

/** A page of history: older than `before` in milliseconds; undefined for the newest. */
export interface Page {
  readonly before: number | undefined
  /** The id of its newest message. */
  readonly newest: string
}

/** A member that reads pages of a conversation repeatedly, one after the other. */
export interface HistorySpec extends Server {
  readonly kind: 'history'
  readonly clientId: string
  readonly convId: string
  readonly pages: readonly Page[]
}

/** Messages per page: the default for clients without a limit (protocol/realtime, History: logs). */
export const PAGE_SIZE = 20

export async function gatherReader(spec: HistorySpec): Promise<(run: Run) => Promise<Outcome>> {
  const { clientId, convId, pages } = spec
  const client = await logIn(spec, clientId)
  return async ({ seconds }) => {
    const latencies: number[] = []
    const began = performance.now()
    for (let n = 0; performance.now() < began + seconds * 1000; n++) {
      const { before, newest } = pages[n % pages.length]!
      const startedAt = performance.now()
      const answer = await client.request({ cmd: 'logs', logsMessage: { cid: convId, l: PAGE_SIZE, t: before } })
      latencies.push(performance.now() - startedAt)
      // Always from old to new.
      const { logs = [] } = answer.logsMessage ?? {}
      if (logs.length !== PAGE_SIZE || logs.at(-1)?.msgId !== newest) throw new Error('A wrong page of history.')
    }
    return outcomeOf({ acknowledged: latencies.length, latencies, began, bytes: 0 })
  }
}
