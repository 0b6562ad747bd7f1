/**
 * Records the cost of each test file: wall clock, CPU time, servers started, apps created. Active only when HOMEPORT_TEST_COSTS
 * names the file to append to (`npm run test:costs`, scripts/test-costs.mjs). Runs in every worker as a setup file, before the
 * test file is imported.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, expect, inject } from 'vitest'
import { costState } from './cost-counts.ts'

/** One line of the record. Times are milliseconds; `start` and `end` are Unix times. */
export interface FileCosts {
  readonly file: string
  readonly start: number
  readonly end: number
  /** CPU time of the worker and its finished children. */
  readonly own: number
  /** CPU time of the shared server and its PostgreSQL at the start and at the end. */
  readonly sharedAtStart: number
  readonly sharedAtEnd: number
  readonly counts: Readonly<Record<string, number>>
}

/** `getconf CLK_TCK` on every Linux that Node runs on. */
const MS_PER_TICK = 10

const record = process.env.HOMEPORT_TEST_COSTS

if (record) {
  const start = Date.now()
  const sharedAtStart = sharedProcessorTime()
  costState.counts = {}
  afterAll(() => {
    const total = ownProcessorTime()
    const line: FileCosts = {
      file: expect.getState().testPath ?? 'unknown',
      start,
      end: Date.now(),
      own: total - costState.ended,
      sharedAtStart,
      sharedAtEnd: sharedProcessorTime(),
      counts: costState.counts,
    }
    costState.ended = total
    appendFileSync(record, `${JSON.stringify(line)}\n`)
  })
}

function ownProcessorTime(): number {
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = times('self')
  return user + system + childUser + childSystem
}

/** Returns the CPU time of the shared server, its PostgreSQL and the processes of that, both running and finished. */
function sharedProcessorTime(): number {
  const roots = (inject as (key: string) => unknown)('sharedProcesses') as readonly number[] | undefined
  if (!roots) return 0
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    parents.set(Number(name), Number(fieldsOf(name)[1] ?? 0))
  }
  let total = 0
  for (const [pid, parent] of parents) {
    if (!roots.includes(pid) && !roots.includes(parent)) continue
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = times(String(pid))
    total += user + system + childUser + childSystem
  }
  return total
}

/** Returns the CPU times of a process: user, system, and both of its finished children. */
function times(process: string): number[] {
  return fieldsOf(process)
    .slice(11, 15)
    .map((ticks) => Number(ticks) * MS_PER_TICK)
}

/** Returns the fields of /proc/PID/stat after the program name; none when the process has exited. */
function fieldsOf(process: string): string[] {
  try {
    return readFileSync(`/proc/${process}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  } catch {
    return []
  }
}
