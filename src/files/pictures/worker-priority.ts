import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/** What Linux shows of the threads that the image library makes. */
const WORKER = 'libvips worker'
const STEPS = 10
/** Milliseconds between two looks for new threads. */
const INTERVAL_MS = 25

const known = new Set<string>()
let users = 0
let timer: NodeJS.Timeout | undefined

/**
 * Does work of the image library with its threads at a lower priority than the event loop: they would take as many
 * processors as there are. Linux counts priorities by thread; elsewhere the number of pictures at a time is the bound.
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

/** Threads live on between pictures, and new ones are made when they are needed. */
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
    // A thread has ended meanwhile, or there is no /proc.
  }
}
