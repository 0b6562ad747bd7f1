import { readFileSync } from 'node:fs'
import { SUPERVISOR_VARIABLE } from './supervised.ts'

/** Whether `homeport start` supervises the server; see `mustSupervise`. */
type Choice = 'auto' | 'on' | 'off'

const FLAG = '--supervise'
const VARIABLE = 'HOMEPORT_SUPERVISE'
const HELP = new Set(['--help', '-h'])

/**
 * Returns whether this process is to supervise a server in a child process. `auto` supervises unless another program restarts
 * the server:
 *
 * - systemd: it sets `NOTIFY_SOCKET`, or `SYSTEMD_EXEC_PID` to this process. Before version 248 it only sets `INVOCATION_ID`, which
 *   children of other units inherit.
 * - PM2: it sets `pm_id`.
 * - a container, whose first process has the number 1: its restart policy starts it again, and one process uses less memory.
 *
 * It never supervises on Windows, where a parent cannot ask its child to stop.
 *
 * This runs before the configuration is checked, and without its code, because the supervisor must stay small. The server reports
 * an invalid value.
 * @param words arguments of the program
 * @param process number of this process, and its platform
 */
export function mustSupervise(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  { pid, platform }: { readonly pid: number; readonly platform: string },
  file = 'homeport.config.json',
): boolean {
  if (words[0] !== 'start' || platform === 'win32' || words.some((word) => HELP.has(word))) return false
  // This process is the server of a supervisor.
  if (environment[SUPERVISOR_VARIABLE] !== undefined) return false
  const choice = choose(words, environment, file)
  return choice === 'on' || (choice === 'auto' && pid !== 1 && !isManaged(environment, pid))
}

function isManaged(environment: NodeJS.ProcessEnv, pid: number): boolean {
  const { NOTIFY_SOCKET, SYSTEMD_EXEC_PID, INVOCATION_ID, pm_id } = environment
  if (NOTIFY_SOCKET || pm_id !== undefined) return true
  return SYSTEMD_EXEC_PID === undefined ? INVOCATION_ID !== undefined : SYSTEMD_EXEC_PID === String(pid)
}

/** Returns the value of the option in the order of `readConfig`: flag, environment, file. */
function choose(words: readonly string[], environment: NodeJS.ProcessEnv, file: string): Choice | null {
  const index = words.findLastIndex((word) => word === FLAG || word.startsWith(`${FLAG}=`))
  const word = words[index]
  const flag = word === FLAG ? (words[index + 1] ?? '') : word?.slice(FLAG.length + 1)
  const value = flag ?? environment[VARIABLE] ?? fromFile(file) ?? 'auto'
  return value === 'auto' || value === 'on' || value === 'off' ? value : null
}

function fromFile(file: string): unknown {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly supervise?: unknown }).supervise
  } catch {
    // The file is missing, or the server reports what is wrong with it.
    return undefined
  }
}
