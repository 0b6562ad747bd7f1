import type { MessagingServer } from '../messaging/server.ts'
import type { Measurement } from '../rounds.ts'
import { processorTime } from '../server-usage.ts'
import { percentile } from '../statistics.ts'
import { type Audience, ROOM } from './audience.ts'
import type { LiveQueryOptions } from './options.ts'
import { post } from './post.ts'

/** A pending write. */
interface UnderWay {
  readonly began: number
  /** The number of outstanding notifications, plus one for the response. */
  open: number
  readonly done: () => void
}

/**
 * Creates objects of a class for a while, with `writers` concurrent requests; each counts once all matching subscribers are
 * notified.
 */
export async function measureWrites(
  server: MessagingServer,
  { className, listeners }: Audience,
  { seconds, writers }: LiveQueryOptions,
): Promise<Measurement> {
  const underWay = new Map<number, UnderWay>()
  const latencies: number[] = []
  let written = 0
  const settle = (n: number) => {
    const write = underWay.get(n)
    if (!write) throw new Error(`A subscriber was told of write ${n}, which is not under way.`)
    if (--write.open > 0) return
    underWay.delete(n)
    latencies.push(performance.now() - write.began)
    write.done()
  }
  for (const listener of listeners) {
    listener.onPush = ({ cmd, dataMessage }) => {
      if (cmd !== 'data') return
      for (const { data } of dataMessage!.msg!) settle(JSON.parse(data).object.level)
    }
  }
  const before = processorTime(server.pid)
  const began = performance.now()
  const end = began + seconds * 1000
  const write = async () => {
    while (performance.now() < end) {
      const n = ++written
      const notified = new Promise<void>((done) => {
        underWay.set(n, { began: performance.now(), open: listeners.length + 1, done })
      })
      await post(server, `/1.1/classes/${className}`, { room: ROOM, level: n, text: 'x'.repeat(100) })
      settle(n)
      await notified
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  const elapsed = performance.now() - began
  const after = processorTime(server.pid)
  const sorted = Float64Array.from(latencies).sort()
  return {
    perSecond: (written * 1000) / elapsed,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    processor: before === null || after === null ? null : ((after - before) * 1000) / written,
  }
}
