import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** About how many bytes of garbage the heap may hold, those of buffers outside of it among them, … */
const GARBAGE = 136 * 1024 * 1024
/** … but so many in any case, … */
const LEAST_GARBAGE = 64 * 1024 * 1024
/** … and at least so large a share of what is in use, in percent: to collect a large heap takes long. */
const LEAST_SHARE = 30
/** So many times that garbage is more than can wait until it is collected in steps. */
const TOO_MUCH = 1.25
/** V8 begins to collect when buffers of so many bytes have come to be since it last has (`kExternalAllocationSoftLimit`). */
const BEGINS_COLLECTION = 64 * 1024 * 1024 + 1
/** Milliseconds between two looks at the heap. */
const LOOK = 50

/**
 * Lets the heap have about as much garbage whatever is in use besides. By itself V8 lets it become up to four times as
 * much, which is what one client could make this process hold; and a share that is small enough for a large heap has a
 * small one collected without need, for a tenth of what a get costs.
 *
 * V8 takes the share when it has collected, of what is in use then; it is told by what was in use the time before. Where
 * much has come into use since, it would let the heap become too large: then it is made to begin. It collects in steps, of
 * some milliseconds, and at once only what comes faster than that: with thousands of connections this takes a tenth of a
 * second, in which nobody is answered.
 */
export function boundGarbage(): void {
  let share = 0
  let inUse = 0
  let hasBegun = false
  /** Bytes of garbage with which a collection is made to begin. */
  let most = GARBAGE
  const tell = () => {
    const { used_heap_size: used, external_memory: outside } = getHeapStatistics()
    inUse = used
    hasBegun = false
    const wanted = shareOf(used, outside)
    if (Math.abs(wanted - share) < share / 10) return
    share = wanted
    setFlagsFromString(`--heap-growing-percent=${share}`)
  }
  tell()
  const observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as readonly { readonly detail?: { readonly kind?: number } }[]
    if (!entries.some(({ detail }) => detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) return
    tell()
  })
  observer.observe({ entryTypes: ['gc'] })
  // Exists only where it is asked for.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setInterval(() => {
    const { used_heap_size: used, external_memory: outside } = getHeapStatistics()
    const garbage = used - inUse
    // Until it has ended, the buffer that made it begin is among those outside.
    if (!hasBegun) most = garbageFor(inUse, outside)
    if (garbage > TOO_MUCH * most) collect()
    else if (garbage > most && !hasBegun) {
      hasBegun = true
      beginCollection()
    }
  }, LOOK).unref()
}

/** Nothing is written into the buffer, so the system has no memory for it; it is among the first that is collected. */
function beginCollection(): void {
  try {
    Buffer.alloc(BEGINS_COLLECTION)
  } catch {
    // The system does not promise what it may not have. What becomes too much is collected at once.
  }
}

/**
 * By how many percent the heap may grow until it is collected.
 * @param inUse bytes that were left when it was collected
 * @param outside bytes of buffers
 */
export function shareOf(inUse: number, outside: number): number {
  return Math.min(400, Math.round((100 * garbageFor(inUse, outside)) / inUse))
}

/**
 * Bytes by which the heap may grow. Less while much lies in buffers: bodies and answers of many megabytes are there as well
 * as in texts, and the process has both.
 */
function garbageFor(inUse: number, outside: number): number {
  return Math.max(LEAST_GARBAGE, GARBAGE - outside, (inUse * LEAST_SHARE) / 100)
}
