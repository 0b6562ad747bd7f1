import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

// Linux provides /proc, even without `ps`; other systems have `ps`.
const isLinux = process.platform === 'linux'

/** Returns the resident memory of a process in bytes. */
export function residentMemory(pid: number): number {
  const kibibytes = isLinux
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  return Number(kibibytes) * 1024
}

/** Returns the CPU time of a process in milliseconds; null where no precise value is available. */
export function processorTime(pid: number): number | null {
  return isLinux ? timesOf(pid).own : null
}

/** Returns the CPU time of a process and its children, including exited ones. */
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
    // It has exited meanwhile.
    return null
  }
}

function timesOf(pid: number): { own: number; ended: number } {
  const fields = statOf(pid)
  // Fields 14 to 17 are the user and system time, and the same of exited children, in hundredths of a second.
  const time = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * 10
  return { own: time(11), ended: time(13) }
}

/** Returns the fields from the third one on. */
function statOf(pid: number): string[] {
  // The program name in parentheses can contain any character; numbers follow it.
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return line.slice(line.lastIndexOf(')') + 2).split(' ')
}
