import { writeFile } from 'node:fs/promises'
import { Cleanup } from './cleanup.ts'

/**
 * Measures and prints the figures. Stops and removes everything at the end, also on Ctrl-C and on failure.
 * @param json file for the raw figures; null for none
 */
export async function runBenchmark<Figures>(
  json: string | null,
  measure: (cleanup: Cleanup) => Promise<Figures>,
  report: (figures: Figures) => string,
): Promise<void> {
  const cleanup = new Cleanup()
  let interrupted = false
  const interrupt = (signal: NodeJS.Signals) => {
    if (!interrupted) process.stderr.write(`${signal}: stopping\n`)
    interrupted = true
    void cleanup.run().then(() => process.exit(130))
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  try {
    const figures = await measure(cleanup)
    if (json) await writeFile(json, `${JSON.stringify(figures, null, 2)}\n`)
    process.stdout.write(report(figures))
  } catch (error) {
    // After Ctrl-C, failures are caused by the stop.
    if (!interrupted) process.stderr.write(`bench: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
  await cleanup.run()
  if (!interrupted) process.exit()
}
