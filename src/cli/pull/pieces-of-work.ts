/** Runs tasks in parallel, at most `width` at a time. After the first failure no further task is started. */
export async function allInParallel<Result>(
  width: number,
  work: readonly (() => Promise<Result>)[],
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...work.entries()]
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
  await Promise.all(Array.from({ length: width }, worker))
  return results
}
