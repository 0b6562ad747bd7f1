import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

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
  return isLinux ? timesOf(pid).own : null
}

/** The same of a process and its children, those that have ended included. */
export function processorTimeOfAll(pid: number): number | null {
  if (!isLinux) return null
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid)
  const { own, ended } = timesOf(pid)
  return children.reduce((sum, child) => sum + timesOf(Number(child)).own, own + ended)
}

function parentOf(pid: number): number | null {
  try {
    return Number(statOf(pid)[1])
  } catch {
    // It has ended meanwhile.
    return null
  }
}

function timesOf(pid: number): { own: number; ended: number } {
  const fields = statOf(pid)
  // 14 to 17 of the line are the time in the program and in the system, and the same of children that have ended, in
  // hundredths of a second.
  const time = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * 10
  return { own: time(11), ended: time(13) }
}

/** From the third field of the line on. */
function statOf(pid: number): string[] {
  // The name of the program, in parentheses, may hold anything; what follows it are numbers.
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return line.slice(line.lastIndexOf(')') + 2).split(' ')
}
