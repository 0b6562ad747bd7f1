import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

// Linux tells in /proc, also where there is no `ps`; other systems have `ps`.
const isLinux = process.platform === 'linux'

/** Bytes of resident memory of a process. */
export function residentMemory(pid: number): number {
  const kibibytes = isLinux
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  return Number(kibibytes) * 1024
}

/** Milliseconds of processor time that a process has taken so far; null where the system does not tell it finely. */
export function processorTime(pid: number): number | null {
  if (!isLinux) return null
  // The name of the program, in parentheses, may hold anything; what follows it are numbers. 14 and 15 of the line are
  // the time in the program and in the system, in hundredths of a second.
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
