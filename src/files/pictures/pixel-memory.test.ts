import { expect, it } from 'vitest'
import { PixelMemory } from './pixel-memory.ts'

const MB = 1024 * 1024
const memory = (budget: number, timeoutMs = 60_000) => new PixelMemory(budget * MB, timeoutMs)

/** Records the order in which requests are admitted. */
function requests(of: PixelMemory) {
  const admitted: number[] = []
  const releases = new Map<number, () => void>()
  return {
    admitted,
    releases,
    async begin(megabytes: number): Promise<void> {
      const release = await of.acquire(megabytes * MB)
      admitted.push(megabytes)
      releases.set(megabytes, release)
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('admits requests that fit, and the others in order as memory is released', async () => {
  const { admitted, releases, begin } = requests(memory(100))
  const all = [60, 30, 50, 40].map(begin)
  await settled()
  expect(admitted).toEqual([60, 30])
  releases.get(30)!()
  await settled()
  // 40 would fit, but waits behind 50.
  expect(admitted).toEqual([60, 30])
  releases.get(60)!()
  await Promise.all(all)
  expect(admitted).toEqual([60, 30, 50, 40])
})

it('admits small requests before larger ones that wait', async () => {
  const { admitted, begin } = requests(memory(100))
  await begin(60)
  void begin(70)
  await begin(10)
  expect(admitted).toEqual([60, 10])
})

it('admits a request larger than the budget when nothing else is in flight', async () => {
  const of = memory(100)
  const { admitted, releases, begin } = requests(of)
  await begin(20)
  const large = begin(300)
  await settled()
  expect(admitted).toEqual([20])
  releases.get(20)!()
  await large
  expect(of.inFlight).toBe(300 * MB)
  void begin(1)
  await settled()
  expect(admitted).toEqual([20, 300])
})

it('never exceeds its budget, for any order of releases', async () => {
  const of = memory(64)
  let max = 0
  const sizes = Array.from({ length: 300 }, (_, n) => 1 + ((n * 37) % 60))
  await Promise.all(
    sizes.map(async (size, n) => {
      const release = await of.acquire(size * MB)
      max = Math.max(max, of.inFlight)
      for (let iteration = 0; iteration < n % 5; iteration++) await settled()
      release()
      release()
    }),
  )
  expect(max).toBeLessThanOrEqual(64 * MB)
  expect(of.inFlight).toBe(0)
})

it('rejects with 503 after the timeout and with the reason of an aborted signal, and then holds no memory', async () => {
  const of = memory(100, 10)
  const release = await of.acquire(100 * MB)
  await expect(of.acquire(50 * MB)).rejects.toMatchObject({ status: 503 })
  const patient = memory(100)
  const releasePatient = await patient.acquire(100 * MB)
  const stopping = new AbortController()
  const waiting = patient.acquire(50 * MB, stopping.signal)
  stopping.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  release()
  releasePatient()
  expect([of.inFlight, patient.inFlight]).toEqual([0, 0])
})
