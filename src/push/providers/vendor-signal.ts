/**
 * Does some work that ends early when one of the signals fires or the time is over. By hand, because the signals live
 * long, and what `AbortSignal.any` makes of them and of a timeout can be collected before it fires.
 * @param timeout milliseconds; null: no limit. The reason is then an error by the name of TimeoutError, else AbortError
 */
export async function stoppable<Value>(
  signals: readonly AbortSignal[],
  timeout: number | null,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  const timer =
    timeout === null ? null : setTimeout(() => stopping.abort(new DOMException('', 'TimeoutError')), timeout)
  for (const signal of signals) {
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
  }
  try {
    return await work(stopping.signal)
  } finally {
    if (timer) clearTimeout(timer)
    for (const signal of signals) signal.removeEventListener('abort', stop)
  }
}
