/** Does work for each item, at most so many at a time. @throws what the first that fails throws, when all others have ended */
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
