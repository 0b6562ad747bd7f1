import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { must, readVariables, requireSystemd } from './install.ts'
import type { Machine } from './machine.ts'
import { ENVIRONMENT_FILE, NAME, UNIT_FILE } from './paths.ts'
import { DEFAULT_DATA } from './unit.ts'

/**
 * Stops the service and removes its unit. Data, options and user stay, unless `deleteData` is set.
 * @returns the lines for the administrator
 * @throws Error with one line
 */
export function uninstall(machine: Machine, { deleteData }: { readonly deleteData: boolean }): readonly string[] {
  requireSystemd(machine, false)
  const { root, hasSystemd } = machine
  const data = readVariables(root).HOMEPORT_DATA ?? DEFAULT_DATA
  if (deleteData) requireDataDirectory(join(root, data), data)
  const isInstalled = existsSync(join(root, UNIT_FILE))
  if (isInstalled) {
    const now = hasSystemd ? ['--now'] : []
    must(machine, 'systemctl', ['disable', '--quiet', ...now, `${NAME}.service`])
    rmSync(join(root, UNIT_FILE))
    if (hasSystemd) must(machine, 'systemctl', ['daemon-reload'])
  }
  const shown = [isInstalled ? `Removed: ${UNIT_FILE}` : 'The service is not installed.']
  if (!deleteData) return [...shown, `Kept:    ${data} and ${ENVIRONMENT_FILE} (--delete-data deletes them)`]
  rmSync(join(root, data), { recursive: true, force: true })
  rmSync(dirname(join(root, ENVIRONMENT_FILE)), { recursive: true, force: true })
  if (machine.run('id', ['-u', NAME]).code === 0) must(machine, 'userdel', [NAME])
  return [...shown, `Deleted: ${data}, ${dirname(ENVIRONMENT_FILE)}, and the user ${NAME}`]
}

/** The path comes from a file, so a mistake there must not delete other files. */
function requireDataDirectory(path: string, shown: string): void {
  if (!existsSync(path)) return
  const names = readdirSync(path)
  if (names.length > 0 && !names.includes('node-id'))
    throw new Error(
      `${shown} is not a data directory of Homeport, so it is not deleted. Check HOMEPORT_DATA in ${ENVIRONMENT_FILE}.`,
    )
}
