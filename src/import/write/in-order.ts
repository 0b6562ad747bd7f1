/** The last batch of each import that has come and is not written. */
const last = new Map<string, Promise<void>>()

/**
 * Lets the next batch of an import be read while one is written: work waits, where it says so, for all that came before it
 * under the same name. Batches that come to several nodes are kept in order by their places alone.
 * @param work calls `turn` and waits for it before it changes anything
 */
export async function inOrder<Result>(
  name: string,
  work: (turn: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const before = last.get(name) ?? Promise.resolve()
  const working = work(() => before)
  const done = Promise.allSettled([before, working]).then(() => {})
  last.set(name, done)
  void done.then(() => {
    if (last.get(name) === done) last.delete(name)
  })
  return working
}
