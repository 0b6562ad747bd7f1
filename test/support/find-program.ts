import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Finds a program for tests: the path in an environment variable, else the first one found.
 * @param names searched on the PATH, in order
 * @param files searched after these
 * @returns null when none is found
 * @throws Error when the variable names no program, because its tests must not be skipped silently
 */
export function findProgram(variable: string, names: readonly string[], files: readonly string[] = []): string | null {
  const named = process.env[variable]
  if (named) {
    if (isProgram(named)) return named
    throw new Error(`${variable} names ${named}, which is not a program.`)
  }
  const directories = (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '')
  const usual = names.flatMap((name) => directories.map((directory) => join(directory, name)))
  return [...usual, ...files].find(isProgram) ?? null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
