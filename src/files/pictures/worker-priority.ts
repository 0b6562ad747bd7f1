import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/** Name of the image library's threads in Linux. */
const WORKER = 'libvips worker'
const STEPS = 10
/** Milliseconds between two scans for new threads. */
const INTERVAL_MS = 25

const known = new Set<string>()
let users = 0
let timer: NodeJS.Timeout | undefined

/**
 * Runs image library work with its threads at a lower priority than the event loop, because they would use all processors. Linux
 * sets priorities per thread; on other systems only the number of concurrent pictures limits the load.
 */
export async function atLowPriority<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.platform !== 'linux') return work()
  if (users++ === 0) timer = setInterval(lowerWorkers, INTERVAL_MS)
  try {
    const result = work()
    lowerWorkers()
    return await result
  } finally {
    if (--users === 0) clearInterval(timer)
  }
}

/** Lowers the priority of new threads. The library keeps threads between pictures and creates more when needed. */
export function lowerWorkers(): void {
  const rank = Math.min(getPriority() + STEPS, constants.priority.PRIORITY_LOW)
  try {
    const threads = readdirSync('/proc/self/task')
    const there = new Set(threads)
    for (const thread of known) if (!there.has(thread)) known.delete(thread)
    for (const thread of threads) {
      if (known.has(thread) || readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() !== WORKER) continue
      setPriority(Number(thread), rank)
      known.add(thread)
    }
  } catch {
    // A thread has exited meanwhile, or `/proc` does not exist.
  }
}
