import type { Measurement } from '../rounds.ts'
import { processorTime } from '../server-usage.ts'
import type { Crowd, Outcome, Run } from './crowd.ts'
import { type MessagingServer, storedMessages } from './server.ts'

/** One round: deliveries per second, and the processor time that the server process took for a delivery. */
export interface DeliveryMeasurement extends Measurement {
  /** Messages that were acknowledged in a second. */
  readonly sent: number
  /** How much of one processor the server process took; null where the system does not tell. */
  readonly busy: number | null
  readonly bytes: number
}

/** Lets a crowd run once. `pid`: the server process */
export async function measureRun(crowd: Crowd, pid: number, run: Run): Promise<DeliveryMeasurement> {
  const [, measured] = await observeRun(crowd, pid, run)
  return measured
}

/** The same with a Homeport, which must have stored exactly what it has acknowledged. */
export async function measureStored(crowd: Crowd, server: MessagingServer, run: Run): Promise<DeliveryMeasurement> {
  const before = await storedMessages(server)
  const [{ acknowledged }, measured] = await observeRun(crowd, server.pid, run)
  const stored = (await storedMessages(server)) - before
  if (stored !== acknowledged)
    throw new Error(`Homeport acknowledged ${acknowledged} messages, but the database has ${stored} more.`)
  return measured
}

async function observeRun(crowd: Crowd, pid: number, run: Run): Promise<[Outcome, DeliveryMeasurement]> {
  const before = processorTime(pid)
  const outcome = await crowd.run(run)
  const after = processorTime(pid)
  const { acknowledged, delivered, elapsed, p50, p99, bytes } = outcome
  const taken = before === null || after === null ? null : after - before
  const measured = {
    perSecond: (delivered * 1000) / elapsed,
    sent: (acknowledged * 1000) / elapsed,
    p50,
    p99,
    processor: taken === null ? null : (taken * 1000) / delivered,
    busy: taken === null ? null : taken / elapsed,
    bytes,
  }
  return [outcome, measured]
}
