import { delimiter } from 'node:path'

/** The variable with the folders in which programs search libraries. */
const LIBRARY_PATH = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'

/**
 * Returns the environment for PostgreSQL's programs, without variables that change their behavior (PGPORT, LANG, …) or are
 * secret. macOS requires a locale.
 * @param libraries additional folders of libraries
 */
export function postgresEnvironment(libraries: readonly string[]): NodeJS.ProcessEnv {
  const kept = ['PATH', LIBRARY_PATH, 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot']
  const entries = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  const environment = { ...Object.fromEntries(entries), LC_ALL: 'C' }
  if (libraries.length === 0) return environment
  const folders = [...libraries, ...(process.env[LIBRARY_PATH]?.split(delimiter) ?? [])]
  return { ...environment, [LIBRARY_PATH]: folders.join(delimiter) }
}
