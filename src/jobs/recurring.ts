export interface Recurrence {
  /** Milliseconds until it is done first. */
  readonly delay: number
  /** Milliseconds from the end of one time to the next. */
  readonly interval: number
  /** Told when it has failed; it is done again after the interval all the same. */
  failed(reason: string): void
}

/**
 * Does something again and again on this node, one time after the other. It keeps no process alive.
 * @param work its signal is aborted when it is to end early
 * @returns ends it; nothing is told of failures from then on
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
