import type { Measurement } from '../rounds.ts'
import { processorTime } from '../server-usage.ts'
import type { Crowd, Outcome, Run } from './crowd.ts'
import { type MessagingServer, storedMessages } from './server.ts'

/** One round: deliveries per second, and the CPU time of the server process per delivery. */
export interface DeliveryMeasurement extends Measurement {
  /** Acknowledged messages per second. */
  readonly sent: number
  /** CPU usage of the server process, 1 for one full processor; null where unavailable. */
  readonly busy: number | null
  readonly bytes: number
}

/**
 * Runs a crowd once.
 * @param pid the server process
 */
export async function measureRun(crowd: Crowd, pid: number, run: Run): Promise<DeliveryMeasurement> {
  const [, measured] = await observeRun(crowd, pid, run)
  return measured
}

/** Runs a crowd on Homeport, and checks that exactly the acknowledged messages are stored. */
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
