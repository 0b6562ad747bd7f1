import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.ts'
import { type MessagingServer, startMessaging } from '../messaging/server.ts'
import { processorTime } from '../server-usage.ts'
import { fillInstallations } from './installations.ts'
import type { PushOptions } from './options.ts'
import { configure, push, untilDone } from './server.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import { databaseTime, type MemoryFigures, watchMemory } from './usage.ts'

/** One push to many devices. Times in milliseconds. */
export interface ManyFigure {
  readonly name: string
  readonly devices: number
  /** From the request until the record is done. */
  readonly elapsed: number
  readonly memory: MemoryFigures
  /** CPU time; null where unavailable. */
  readonly processor: {
    readonly server: number | null
    readonly database: number | null
    readonly provider: number | null
  }
  /** The load of the machine before the start. */
  readonly load: number
}

/** A Homeport with many installations, and the provider of their devices. */
export interface PopulatedServer {
  readonly server: MessagingServer
  readonly standIn: StandIn
}

const PUSHES: readonly (readonly [name: string, body: object, share: number])[] = [
  ['all', {}, 1],
  ['all, again', {}, 1],
  ['1 in 1000, by a channel', { channels: ['group7'] }, 1 / 1000],
  ['1 in 1000, by a pattern', { where: { city: { $regex: 'Fluss 7 O' } } }, 1 / 1000],
]

/** Pause before each push, in milliseconds. */
const REST = 3000

export async function populatedServer(root: string, options: PushOptions, cleanup: Cleanup): Promise<PopulatedServer> {
  const standIn = await startStandIn(options.provider, cleanup)
  const server = await startMessaging(root, false, cleanup)
  await configure(server.url, standIn.settings)
  await fillInstallations(server.url, server, options.provider, options.devices)
  return { server, standIn }
}

/**
 * Pushes to all installations and to few of them.
 * @throws Error when others than exactly those were reached
 */
export async function measureMany(populated: PopulatedServer, { devices }: PushOptions): Promise<ManyFigure[]> {
  const { server, standIn } = populated
  const figures: ManyFigure[] = []
  for (const [name, body, share] of PUSHES) {
    await sleep(REST)
    process.stderr.write(`many: ${name}\n`)
    await standIn.forget()
    const times = async () =>
      [processorTime(server.pid), await databaseTime(server), processorTime(standIn.pid)] as const
    const load = loadavg()[0]!
    const before = await times()
    const memory = watchMemory(server.pid)
    const began = performance.now()
    const record = await untilDone(server, await push(server.url, body))
    const elapsed = performance.now() - began
    const taken = (await times()).map((time, index) => (time === null ? null : time - before[index]!))
    const [ofServer = null, database = null, provider = null] = taken
    const counts = await standIn.counts()
    const expected = Math.floor(devices * share)
    const reached = [record.devices, record.successes, counts.devices]
    if (reached.some((count) => count !== expected) || counts.handedTwice > 0)
      throw new Error(`Of ${expected} devices ${JSON.stringify({ record, counts })}`)
    const processor = { server: ofServer, database, provider }
    figures.push({ name, devices: expected, elapsed, memory: memory(), processor, load })
  }
  return figures
}
