/**
 * Processes items in parallel, at most `limit` at a time.
 * @throws the error of the first failure, after all other items have ended
 */
export async function forEachInParallel<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | null = null
  for await (const item of items) {
    const one = work(item)
      .catch((error: unknown) => {
        failure ??= { error }
      })
      .finally(() => running.delete(one))
    running.add(one)
    if (running.size >= limit) await Promise.race(running)
    if (failure) break
  }
  await Promise.all(running)
  if (failure) throw (failure as { error: unknown }).error
}

/** Runs tasks in parallel, at most `width` at a time. After the first failure no further task is started. */
export async function runInParallel<Result>(
  limit: number,
  tasks: readonly (() => Promise<Result>)[],
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...tasks.entries()]
  let failed = false
  const worker = async () => {
    for (let next = waiting.shift(); next && !failed; next = waiting.shift()) {
      const [index, begin] = next
      try {
        results[index] = await begin()
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: limit }, worker))
  return results
}
