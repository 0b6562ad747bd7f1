export interface MeasuredOptions {
  /** Milliseconds for which a value is used before it is measured again. */
  readonly maxAgeMs: number
  /** Milliseconds that a caller waits for a new value before it gets the previous one. */
  readonly timeoutMs?: number
  /** Returns a monotonic time in milliseconds. */
  readonly now?: () => number
}

/** A previous value is returned for at most this multiple of its maximum age. */
const STALE = 10

/**
 * Makes an expensive measurement at most once in `maxAgeMs`, however often it is read. Callers that arrive meanwhile share it.
 * @returns returns the value; null while it is unknown, because the measurement fails or takes too long
 */
export function measured<Value>(
  measure: () => Promise<Value>,
  { maxAgeMs, timeoutMs = 2000, now = () => performance.now() }: MeasuredOptions,
): () => Promise<Value | null> {
  let last: { readonly value: Value; readonly at: number } | null = null
  let begunAt = Number.NEGATIVE_INFINITY
  let measuring: Promise<void> | null = null
  return async () => {
    if (now() - begunAt >= maxAgeMs && !measuring) {
      begunAt = now()
      measuring = measure()
        .then((value) => {
          last = { value, at: now() }
        })
        // The value stays unknown until the next measurement; the part that fails reports it.
        .catch(() => {})
        .finally(() => {
          measuring = null
        })
    }
    if (measuring) await withTimeout(measuring, timeoutMs)
    return last && now() - last.at < maxAgeMs * STALE ? last.value : null
  }
}

async function withTimeout(work: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
