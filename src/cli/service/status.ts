import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readVariables } from './install.ts'
import type { Machine } from './machine.ts'
import { NAME, UNIT_FILE } from './paths.ts'
import { DEFAULT_DATA } from './unit.ts'

/** Exit codes as those of `systemctl status`. */
const NOT_RUNNING = 3
const NOT_INSTALLED = 4

/**
 * Describes the service: whether it is installed, running, and can serve requests.
 * @returns the lines for the administrator, and an exit code: 0 when it can serve requests
 */
export async function status(machine: Machine): Promise<{ lines: readonly string[]; code: number }> {
  const { root, hasSystemd } = machine
  if (!existsSync(join(root, UNIT_FILE)))
    return { lines: ['not installed (homeport service install)'], code: NOT_INSTALLED }
  const data = readVariables(root).HOMEPORT_DATA ?? DEFAULT_DATA
  const state = (question: string) => machine.run('systemctl', [question, `${NAME}.service`]).output
  const url = await machine.healthyServer(join(root, data), 0)
  const lines = [
    `service    ${hasSystemd ? state('is-active') : 'unknown: systemd does not run on this machine'}`,
    `at boot    ${state('is-enabled')}`,
    `server     ${url === null ? 'cannot serve requests, or is not visible to this user' : `can serve requests at ${url}`}`,
    `data       ${data}`,
    `log        journalctl -u ${NAME}`,
  ]
  return { lines, code: url === null ? NOT_RUNNING : 0 }
}
