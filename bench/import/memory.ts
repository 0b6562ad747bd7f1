import { readdirSync, readFileSync } from 'node:fs'

const INTERVAL = 100

/** Maximum memory of processes by name, in bytes. */
export type Memory = Readonly<Record<string, number>>

/** A watched process, or all processes it has started, without shared memory. */
export interface Watched {
  readonly pid: number
  readonly isFamily?: boolean
}

/** Measures the memory of processes until the returned function is called; all values are 0 where unavailable. */
export function watchMemory(watched: Readonly<Record<string, Watched>>): () => Memory {
  const max: Record<string, number> = Object.fromEntries(Object.keys(watched).map((name) => [name, 0]))
  const look = () => {
    for (const [name, { pid, isFamily = false }] of Object.entries(watched)) {
      const now = isFamily
        ? familyOf(pid).reduce((sum, one) => sum + memoryOf(one, 'RssAnon'), 0)
        : memoryOf(pid, 'VmRSS')
      max[name] = Math.max(max[name]!, now)
    }
  }
  const timer = setInterval(look, INTERVAL)
  return () => {
    clearInterval(timer)
    return max
  }
}

function familyOf(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
  return [pid, ...children.map(Number)]
}

function parentOf(pid: string): number {
  const stat = contentOf(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function memoryOf(pid: number, member: 'VmRSS' | 'RssAnon'): number {
  const found = new RegExp(`^${member}:\\s+(\\d+) kB$`, 'm').exec(contentOf(`/proc/${pid}/status`))
  return Number(found?.[1] ?? 0) * 1024
}

/** Returns the content of a file in /proc; empty when the process has exited. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
