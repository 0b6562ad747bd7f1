/**
 * Runs work whose signal aborts, with an AbortError, when one of the signals fires. It does not use `AbortSignal.any`, whose
 * result can be garbage-collected before a long-lived signal fires.
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
