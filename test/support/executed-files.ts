import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import type { Program } from './program.ts'

/** The environment of a program whose executed files are recorded. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

/** The number of recorded runs of an action. */
const RUNS = 5

/** Records the files of a running program that execute code. */
export interface Recorder {
  /**
   * Records the files of `src/` whose functions are called in every run of an action, such as `api/route.ts`; timers appear in
   * only some of the runs. An unrecorded first run loads and opens everything needed.
   * @param end runs after each run, and is not recorded
   */
  filesOf(action: () => Promise<unknown>, end?: () => Promise<unknown>): Promise<ReadonlySet<string>>
  close(): void
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
    }[]
  }[]
}

/** Connects to the inspector of a program started with `INSPECTED`, and counts calls of its functions. */
export async function recordExecutedFiles(program: Program): Promise<Recorder> {
  const url = /Debugger listening on (ws:\S+)/.exec(program.output())?.[1]
  if (url === undefined) throw new Error(`The program has no inspector: ${program.output()}`)
  const socket = new WebSocket(url)
  await once(socket, 'open')
  let lastId = 0
  const call = async (method: string, params: object = {}): Promise<unknown> => {
    const id = ++lastId
    socket.send(JSON.stringify({ id, method, params }))
    for (;;) {
      const [data] = await once(socket, 'message')
      const message = JSON.parse(String(data))
      if (message.id === id) return message.result
    }
  }
  await call('Profiler.enable')
  await call('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return {
    async filesOf(action, end = async () => {}) {
      await action()
      await end()
      let files: ReadonlySet<string> | undefined
      for (let run = 0; run < RUNS; run++) {
        // Taking the coverage resets the counts.
        await call('Profiler.takePreciseCoverage')
        await action()
        const called = calledFiles((await call('Profiler.takePreciseCoverage')) as Coverage)
        await end()
        files = files ? new Set([...files].filter((file) => called.has(file))) : called
      }
      return files!
    },
    close: () => socket.close(),
  }
}

type Finder = (offset: number) => string | undefined

const finders = new Map<string, Finder>()

/** Returns a function that maps a position in a bundled script to its file in `src/`. */
function finderOf(url: string): Finder {
  const known = finders.get(url)
  if (known) return known
  const script = fileURLToPath(url)
  const code = readFileSync(script, 'utf8')
  const map = new SourceMap(JSON.parse(readFileSync(`${script}.map`, 'utf8')))
  const files = new Map<number, string | undefined>()
  const find = (offset: number) => {
    if (files.has(offset)) return files.get(offset)
    const before = code.slice(0, offset)
    const line = before.split('\n').length - 1
    const entry = map.findEntry(line, offset - before.lastIndexOf('\n') - 1)
    const file = 'originalSource' in entry ? /\/src\/(.*)$/.exec(entry.originalSource)?.[1] : undefined
    files.set(offset, file)
    return file
  }
  finders.set(url, find)
  return find
}

/** Returns the files with called functions. The outermost function of a script, at offset 0, runs when the script is loaded. */
function calledFiles({ result }: Coverage): Set<string> {
  const files = new Set<string>()
  for (const { url, functions } of result) {
    if (!/^file:.*\/dist\//.test(url) || url.includes('/node_modules/')) continue
    const find = finderOf(url)
    for (const { ranges } of functions) {
      const [{ startOffset, count } = { startOffset: 0, count: 0 }] = ranges
      const file = count > 0 && startOffset > 0 ? find(startOffset) : undefined
      if (file !== undefined) files.add(file)
    }
  }
  return files
}
