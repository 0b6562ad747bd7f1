import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * A program that tests use: what an environment variable names, else the first of the usual ones that is there.
 * @param names looked for on the PATH, those in front first
 * @param files looked for behind these
 * @returns null when there is none
 * @throws Error when the variable names no program: its tests must not be skipped silently
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
