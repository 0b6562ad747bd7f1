import { readdirSync, readFileSync } from 'node:fs'

const INTERVAL = 100

/** Bytes that processes had in memory at most, by name. */
export type Memory = Readonly<Record<string, number>>

/** What is watched: a process, or all that a process has started, of which what they share is left out. */
export interface Watched {
  readonly pid: number
  readonly isFamily?: boolean
}

/** Watches the memory of processes until it is told to end; all is 0 where the system does not tell. */
export function watchMemory(watched: Readonly<Record<string, Watched>>): () => Memory {
  const most: Record<string, number> = Object.fromEntries(Object.keys(watched).map((name) => [name, 0]))
  const look = () => {
    for (const [name, { pid, isFamily = false }] of Object.entries(watched)) {
      const now = isFamily
        ? familyOf(pid).reduce((sum, one) => sum + memoryOf(one, 'RssAnon'), 0)
        : memoryOf(pid, 'VmRSS')
      most[name] = Math.max(most[name]!, now)
    }
  }
  const timer = setInterval(look, INTERVAL)
  return () => {
    clearInterval(timer)
    return most
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

/** A process may have ended since it was looked for. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
