import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { garbageBounds, shareOf } from './bound-garbage.ts'

const MB = 1024 * 1024

it.each([
  [30, 0, 400],
  [40, 0, 340],
  [80, 0, 170],
  [160, 0, 85],
  [320, 0, 43],
  [1000, 0, 30],
  [80, 32, 130],
  [80, 72, 80],
  [80, 500, 80],
])('lets a heap with %i MB in use, and buffers of %i MB, grow by %i percent', (inUse, outside, percent) => {
  expect(shareOf(inUse * MB, outside * MB)).toBe(percent)
})

it.each([
  [256, 24, 16],
  [384, 32, 16],
  [1024, 85, 40],
  [1632, 136, 64],
  [16384, 136, 64],
])('allows less garbage on a machine with %i MB of memory', (memory, target, min) => {
  const bounds = garbageBounds(memory * MB)
  expect([Math.round(bounds.target / MB), Math.round(bounds.min / MB)]).toEqual([target, min])
})

// No other cause makes V8 collect here: if the collection is not triggered, the program times out.
it('collects a grown heap incrementally, not at once', async () => {
  const module = JSON.stringify(new URL('./bound-garbage.ts', import.meta.url).href)
  const program = `
    import { constants, PerformanceObserver } from 'node:perf_hooks'
    import { setTimeout as sleep } from 'node:timers/promises'
    import { getHeapStatistics } from 'node:v8'
    const { boundGarbage } = await import(${module})
    const heap = () => getHeapStatistics().used_heap_size / 1048576
    const kept = []
    const growBy = (megabytes) => {
      for (const end = heap() + megabytes; heap() < end; ) kept.push(Array(1024).fill(0.5))
    }
    boundGarbage()
    growBy(60)
    // V8 was told that the heap is small: it waits until this is five times as much.
    gc()
    await sleep(200)
    const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_FLAGS_FORCED } = constants
    new PerformanceObserver((list) => {
      const major = list.getEntries().find(({ detail }) => detail.kind === NODE_PERFORMANCE_GC_MAJOR)
      if (!major) return
      // What was made is in use up to here.
      console.log(major.detail.flags & NODE_PERFORMANCE_GC_FLAGS_FORCED ? 'at once' : 'in steps', kept.length > 0)
      process.exit()
    }).observe({ entryTypes: ['gc'] })
    // More than may be garbage, and not so much that it cannot wait.
    growBy(150)
    setInterval(() => {}, 1000)`
  const args = ['--expose-gc', '--no-memory-reducer', '--import', 'tsx', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 })
  expect(stdout).toBe('in steps true\n')
})
