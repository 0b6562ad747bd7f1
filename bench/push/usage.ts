import { readFileSync } from 'node:fs'
import { processorTime, residentMemory } from '../server-usage.ts'
import type { AppDatabase } from './server.ts'

const INTERVAL = 20

/** Resident memory of a process in bytes, at the start and at its maximum. */
export interface MemoryFigures {
  readonly before: number
  readonly max: number
  readonly after: number
}

/** Measures the memory of a process until the returned function is called. */
export function watchMemory(pid: number): () => MemoryFigures {
  const before = residentMemory(pid)
  let max = before
  const timer = setInterval(() => {
    max = Math.max(max, residentMemory(pid))
  }, INTERVAL)
  return () => {
    clearInterval(timer)
    const after = residentMemory(pid)
    return { before, max: Math.max(max, after), after }
  }
}

/** Returns the CPU time of all database processes in milliseconds; null where unavailable. */
export async function databaseTime({ query }: AppDatabase): Promise<number | null> {
  const processes = await query<{ pid: number }>('SELECT pid FROM pg_stat_activity')
  const [first] = processes
  if (process.platform !== 'linux' || !first) return null
  const postmaster = Number(statOf(first.pid)[1])
  const stat = statOf(postmaster)
  // The parent's statistics include exited children.
  const ended = (Number(stat[13]) + Number(stat[14])) * 10
  const times = [postmaster, ...processes.map(({ pid }) => pid)].map((pid) => processorTimeOf(pid))
  return times.reduce((sum, time) => sum + time, ended)
}

/** Returns the CPU time of a database process; 0 when it exits during the measurement. */
function processorTimeOf(pid: number): number {
  try {
    return processorTime(pid) ?? 0
  } catch {
    return 0
  }
}

/** Returns the fields of a process in /proc from its state on: state, parent, … */
function statOf(pid: number): string[] {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The program name before it can contain any character.
  return line.slice(line.lastIndexOf(')') + 2).split(' ')
}
