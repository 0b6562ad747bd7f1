/**
 * Processes items in parallel, at most `most` at a time.
 * @throws the error of the first failure, after all other items have ended
 */
export async function inParallel<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  most: number,
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
    if (running.size >= most) await Promise.race(running)
    if (failure) break
  }
  await Promise.all(running)
  if (failure) throw (failure as { error: unknown }).error
}
