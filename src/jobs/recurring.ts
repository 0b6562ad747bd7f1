export interface Recurrence {
  /** Milliseconds until the first run. */
  readonly delay: number
  /** Milliseconds from the end of a run to the next. */
  readonly interval: number
  /** Called when a run has failed; the work is repeated after the interval regardless. */
  failed(reason: string): void
}

/**
 * Repeats work on this node at an interval, one run after the other. It does not keep the process alive.
 * @param work its signal aborts when the recurrence is ended
 * @returns a function that ends the recurrence; later failures are not reported
 */
export function recur(work: (signal: AbortSignal) => Promise<void>, recurrence: Recurrence): () => void {
  const { delay, interval, failed } = recurrence
  const stopped = new AbortController()
  let timer: NodeJS.Timeout
  const wait = (time: number) => {
    if (!stopped.signal.aborted) timer = setTimeout(() => void once(), time).unref()
  }
  const once = async () => {
    try {
      await work(stopped.signal)
    } catch (error) {
      if (!stopped.signal.aborted) failed(error instanceof Error ? error.message : String(error))
    }
    wait(interval)
  }
  wait(delay)
  return () => {
    stopped.abort()
    clearTimeout(timer)
  }
}
