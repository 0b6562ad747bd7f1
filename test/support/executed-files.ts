import { Session } from 'node:inspector/promises'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCES = resolve('src')

const EXPORT = /^\(\) => \{ try \{ return \w+ \} catch \{\} \}$/

interface Range {
  readonly startOffset: number
  readonly endOffset: number
}

/** How often work is repeated: what runs by the clock is executed during one of the repetitions only. */
const REPETITIONS = 5

/**
 * Records which files of `src/` execute while some work is done in this process: those in which a function is called. It
 * must have been done before, so that nothing is loaded or opened by it.
 */
export async function executionRecorder() {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Debugger.enable')

  const sources = new Map<string, Promise<{ readonly scriptSource: string }>>()
  /** Whether a function does nothing but hand out what a module exports, as the test runner adds them to modules. */
  const isExport = async ({ scriptId }: { readonly scriptId: string }, { startOffset, endOffset }: Range) => {
    if (!sources.has(scriptId)) sources.set(scriptId, session.post('Debugger.getScriptSource', { scriptId }))
    const { scriptSource } = await sources.get(scriptId)!
    return EXPORT.test(scriptSource.slice(startOffset, endOffset))
  }

  /** The files that have executed since it was last asked. */
  const take = async (): Promise<string[]> => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const files: string[] = []
    for (const script of result) {
      const path = script.url.startsWith('file:') ? fileURLToPath(script.url) : script.url
      const file = relative(SOURCES, path).replaceAll('\\', '/')
      if (file.startsWith('..')) continue
      for (const { functionName, ranges } of script.functions) {
        if (ranges[0]!.count === 0 || (functionName === '' && (await isExport(script, ranges[0]!)))) continue
        files.push(file)
        break
      }
    }
    return files
  }

  return {
    /** @returns paths in `src/`, such as `messaging/presence.ts`, in the order of the alphabet */
    async filesOf(work: () => Promise<unknown>): Promise<string[]> {
      let files: Set<string> | undefined
      for (let count = 0; count < REPETITIONS; count++) {
        await take()
        await work()
        const executed = await take()
        files = new Set(files ? executed.filter((file) => files!.has(file)) : executed)
      }
      return [...files!].sort()
    },
    async end(): Promise<void> {
      await session.post('Profiler.stopPreciseCoverage')
      await session.post('Debugger.disable')
      session.disconnect()
    },
  }
}
