import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** About how many bytes of garbage the heap may hold, those of buffers outside of it among them, … */
const GARBAGE = 136 * 1024 * 1024
/** … but so many in any case, … */
const LEAST_GARBAGE = 64 * 1024 * 1024
/** … and at most, when more is in use than V8 was told to expect. */
const MOST_GARBAGE = 1.25 * GARBAGE
/** Milliseconds between two looks at the heap. */
const LOOK = 50

/**
 * Lets the heap have about as much garbage whatever is in use besides. By itself V8 lets it become up to four times as
 * much, which is what one client could make this process hold; and a share that is small enough for a large heap has a
 * small one collected without need, for a tenth of what a get costs.
 *
 * V8 takes the share when it has collected, of what is in use then; it is told by what was in use the time before. Where
 * much has come into use since, it would let the heap become too large: then it is told to collect.
 */
export function boundGarbage(): void {
  let share = 0
  let inUse = 0
  const tell = () => {
    const { used_heap_size: used, external_memory: outside } = getHeapStatistics()
    inUse = used
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
    if (getHeapStatistics().used_heap_size > inUse + MOST_GARBAGE) collect()
  }, LOOK).unref()
}

/**
 * By how many percent the heap may grow until it is collected. Less while much lies in buffers: bodies and answers of many
 * megabytes are there as well as in texts, and the process has both.
 * @param inUse bytes that were left when it was collected
 * @param outside bytes of buffers
 */
export function shareOf(inUse: number, outside: number): number {
  const garbage = Math.max(LEAST_GARBAGE, GARBAGE - outside)
  return Math.min(400, Math.max(30, Math.round((100 * garbage) / inUse)))
}
