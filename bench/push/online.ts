import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.ts'
import { percentile } from '../statistics.ts'
import { connectDevices, type OnlineDevice } from './device.ts'
import type { PopulatedServer } from './many.ts'
import type { PushOptions } from './options.ts'
import { callServer, push, untilDone } from './server.ts'

/** Pushes to one device at a time. Milliseconds from the request to the arrival. */
export interface OnlineFigure {
  readonly name: string
  readonly samples: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** The load of the machine before the start. */
  readonly load: number
}

/** The pause between an arrival and the next push, in milliseconds. */
const PAUSE = 5
const WARM_UP = 100
const TIMEOUT_MS = 30_000

/** Measures the latency of a push to one device, alone and during a push to all. */
export async function measureOnline(
  { server, standIn }: PopulatedServer,
  { connections, samples }: PushOptions,
  cleanup: Cleanup,
): Promise<OnlineFigure[]> {
  process.stderr.write(`online: ${connections} devices log in\n`)
  const arrivals = new Arrivals()
  const devices = await connectDevices(server, connections, (id) => arrivals.note(id))
  cleanup.add(() => {
    for (const { socket } of devices) socket.end()
  })
  const toOne = ({ installationId }: OnlineDevice) => {
    const data = { alert: 'You have mail' }
    const body = { device_type: 'android', device_ids: [installationId], data }
    return callServer<{ objectId: string }>(server.url, '/1.1/push/devices', body)
  }
  const latency = async (n: number) => {
    const began = performance.now()
    const { objectId } = await toOne(devices[n % devices.length]!)
    const elapsed = (await arrivals.of(objectId)) - began
    await sleep(PAUSE)
    return elapsed
  }
  const measure = async (name: string, isOver: (n: number) => boolean) => {
    process.stderr.write(`online: ${name}\n`)
    const load = loadavg()[0]!
    const latencies: number[] = []
    for (let n = 0; !isOver(n); n++) latencies.push(await latency(n))
    const sorted = latencies.toSorted((left, right) => left - right)
    const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)]
    return { name, samples: sorted.length, p50, p99, max: sorted.at(-1)!, load }
  }
  await measure('warm-up', (n) => n >= WARM_UP)
  const calm = await measure('nothing else is going on', (n) => n >= samples)
  await standIn.forget()
  let isDone = false
  const toAll = untilDone(server, await push(server.url, {})).then(() => {
    isDone = true
  })
  const busy = await measure('during a push to all', () => isDone)
  await toAll
  return [calm, busy]
}

/** The arrival times of pushes, including those before the response to their request. */
class Arrivals {
  readonly #times = new Map<string, number>()
  readonly #waiting = new Map<string, (time: number) => void>()

  note(id: string): void {
    const time = performance.now()
    const waiting = this.#waiting.get(id)
    if (waiting) waiting(time)
    else this.#times.set(id, time)
  }

  of(id: string): Promise<number> {
    const known = this.#times.get(id)
    this.#times.delete(id)
    if (known !== undefined) return Promise.resolve(known)
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`A push has not arrived after ${TIMEOUT_MS} ms.`)), TIMEOUT_MS)
      this.#waiting.set(id, (time) => {
        clearTimeout(late)
        this.#waiting.delete(id)
        resolve(time)
      })
    })
  }
}
