/** Does some work, so many pieces at a time; after the first that fails no other is begun. */
export async function inParallel<Result>(width: number, work: readonly (() => Promise<Result>)[]): Promise<Result[]> {
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
