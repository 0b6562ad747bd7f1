import { readdirSync, readFileSync } from 'node:fs'
import { processorTime, residentMemory } from '../server-usage.ts'

const INTERVAL = 100

export interface Usage {
  /** Maximum resident bytes. */
  readonly server: number
  /** Maximum unshared bytes of all PostgreSQL processes. */
  readonly database: number
  /** CPU usage of the server; 1 is one full processor. */
  readonly serverProcessor: number
}

/** Measures the usage of server and database until the returned function is called. */
export function watchUsage(server: number, postmaster: number): () => Usage {
  const max = { server: 0, database: 0 }
  const began = performance.now()
  const before = tryTo(() => processorTime(server) ?? 0)
  const look = () => {
    max.server = Math.max(
      max.server,
      tryTo(() => residentMemory(server)),
    )
    max.database = Math.max(max.database, privateMemory(postmaster))
  }
  look()
  const timer = setInterval(look, INTERVAL)
  return () => {
    clearInterval(timer)
    look()
    const spent = tryTo(() => processorTime(server) ?? 0) - before
    return { ...max, serverProcessor: spent / (performance.now() - began) }
  }
}

export function serverMemory(pid: number): number {
  return tryTo(() => residentMemory(pid))
}

function privateMemory(postmaster: number): number {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster)
  return [String(postmaster), ...children].reduce((sum, pid) => sum + tryTo(() => anonymousMemory(pid)), 0)
}

function parentOf(pid: string): number {
  return tryTo(() => {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[1])
  })
}

function anonymousMemory(pid: string): number {
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes ?? 0) * 1024
}

/** Returns 0 for a process that exits during the measurement. */
function tryTo(read: () => number): number {
  try {
    const value = read()
    return Number.isFinite(value) ? value : 0
  } catch {
    return 0
  }
}
