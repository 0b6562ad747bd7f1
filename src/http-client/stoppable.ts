/**
 * Does some work that ends early when one of the signals fires, with an AbortError. By hand, because the signals live
 * long, and what `AbortSignal.any` makes of them can be collected before it fires.
 */
export async function stoppable<Value>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const signal of signals) {
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
  }
  try {
    return await work(stopping.signal)
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stop)
  }
}
