import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { machineMemory } from '../../machine-memory.ts'

/** Target bytes of garbage in the heap, including buffers outside of it, and the minimum that is allowed. */
interface GarbageBounds {
  readonly target: number
  readonly min: number
}

const USUAL: GarbageBounds = { target: 136 * 1024 * 1024, min: 64 * 1024 * 1024 }
/** Fraction of the memory of a small machine that garbage may take. */
const MEMORY_SHARE = 1 / 12
/** Bytes below which garbage is collected too often. */
const LEAST: GarbageBounds = { target: 24 * 1024 * 1024, min: 16 * 1024 * 1024 }

/** Returns the bounds for a machine or container with this memory in bytes. Up to 1.6 GB they are smaller than usual. */
export function garbageBounds(memory: number): GarbageBounds {
  const target = Math.max(LEAST.target, Math.min(USUAL.target, memory * MEMORY_SHARE))
  return { target, min: Math.max(LEAST.min, (USUAL.min * target) / USUAL.target) }
}

/** Minimum garbage as a percentage of the used heap, because collecting a large heap takes long. */
const MIN_SHARE = 30
/** Factor above the target from which garbage is collected at once instead of incrementally. */
const TOO_MUCH = 1.25
/** Bytes of new buffers from which V8 starts a collection (`kExternalAllocationSoftLimit`). */
const BEGINS_COLLECTION = 64 * 1024 * 1024 + 1
/** Milliseconds between two checks of the heap. */
const LOOK = 50

/**
 * Keeps the garbage in the heap roughly constant, whatever the size of the used heap. By default V8 lets garbage grow to four
 * times the used heap, which a single client could exploit; and a percentage that is small enough for a large heap would collect
 * a small one needlessly often, which costs a tenth of the time of a get.
 *
 * V8 applies the percentage after a collection, to the heap that is in use then, but it is computed from the previous collection.
 * If the used heap has grown since, the percentage is too large, so a collection is triggered. It runs incrementally, in steps of
 * some milliseconds, and at once only when garbage grows faster than that: with thousands of connections this takes a tenth of a
 * second, in which no request is served.
 */
export function boundGarbage(): void {
  const bounds = garbageBounds(machineMemory())
  let share = 0
  let inUse = 0
  let hasBegun = false
  /** Bytes of garbage at which a collection is triggered. */
  let limit = bounds.target
  const setFlag = () => {
    const { used_heap_size: used, external_memory: outside } = getHeapStatistics()
    inUse = used
    hasBegun = false
    const wanted = shareOf(used, outside, bounds)
    if (Math.abs(wanted - share) < share / 10) return
    share = wanted
    setFlagsFromString(`--heap-growing-percent=${share}`)
  }
  setFlag()
  const observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as readonly { readonly detail?: { readonly kind?: number } }[]
    if (!entries.some(({ detail }) => detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) return
    setFlag()
  })
  observer.observe({ entryTypes: ['gc'] })
  // `gc` only exists with this flag.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setInterval(() => {
    const { used_heap_size: used, external_memory: outside } = getHeapStatistics()
    const garbage = used - inUse
    // Until the collection ends, the buffer that triggered it counts as outside memory.
    if (!hasBegun) limit = garbageFor(inUse, outside, bounds)
    if (garbage > TOO_MUCH * limit) collect()
    else if (garbage > limit && !hasBegun) {
      hasBegun = true
      beginCollection()
    }
  }, LOOK).unref()
}

/**
 * Triggers an incremental collection. The buffer is never written, so the system allocates no memory for it, and it is collected
 * first.
 */
function beginCollection(): void {
  try {
    Buffer.alloc(BEGINS_COLLECTION)
  } catch {
    // The system refuses to reserve the memory. Excess garbage is then collected at once.
  }
}

/**
 * Returns by how many percent the heap may grow until the next collection.
 * @param inUse bytes in use after the last collection
 * @param outside bytes of buffers
 */
export function shareOf(inUse: number, outside: number, bounds = USUAL): number {
  return Math.min(400, Math.round((100 * garbageFor(inUse, outside, bounds)) / inUse))
}

/**
 * Returns the bytes by which the heap may grow. Large buffers reduce it, because bodies and responses of many megabytes exist
 * both as buffers and as strings.
 */
function garbageFor(inUse: number, outside: number, { target, min }: GarbageBounds): number {
  return Math.max(min, target - outside, (inUse * MIN_SHARE) / 100)
}
