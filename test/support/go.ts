import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findProgram } from './find-program.ts'

/** Timeout of downloading modules and compiling, in milliseconds. */
const TIMEOUT_MS = 300_000

/** The Go for tests: HOMEPORT_TEST_GO, else go in its usual locations. null: tests that need it are skipped. */
export const go: string | null = findProgram('HOMEPORT_TEST_GO', ['go'], ['/usr/local/go/bin/go', '/usr/lib/go/bin/go'])

if (go === null) {
  console.warn(
    'Tests with the Go client, and those with an S3, are skipped: no go was found. Install it (Debian: apt-get install golang-go), or let HOMEPORT_TEST_GO name its file.',
  )
}

/**
 * Compiles a published program into a temporary directory.
 * @param name path and version of its package
 * @param atEnd vitest's `afterAll`, which removes the directory
 * @returns the path of the program
 * @throws Error with the output of go when a module is unavailable, because the tests must not be skipped silently
 */
export async function installGo(name: string, atEnd: (end: () => Promise<void>) => void): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'homeport-go-'))
  atEnd(() => rm(directory, { recursive: true, force: true }))
  try {
    const env = { ...process.env, GOBIN: directory, GOFLAGS: '' }
    await promisify(execFile)(go!, ['install', name], { env, cwd: directory, timeout: TIMEOUT_MS })
  } catch (error) {
    throw new Error(`go could not install ${name}: ${error}\n${(error as { stderr?: string }).stderr ?? ''}`)
  }
  return join(directory, basename(name.replace(/@.*/, '')))
}

/**
 * Compiles a program into a temporary directory, with the modules of its go.sum.
 * @param folder the directory of its go.mod
 * @param atEnd vitest's `afterAll`, which removes the directory
 * @returns the path of the program
 * @throws Error with the output of go when a module is unavailable, because the tests must not be skipped silently
 */
export async function compileGo(folder: URL, atEnd: (end: () => Promise<void>) => void): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'homeport-go-'))
  atEnd(() => rm(directory, { recursive: true, force: true }))
  const program = join(directory, 'program')
  const cwd = fileURLToPath(folder)
  try {
    await promisify(execFile)(go!, ['build', '-buildvcs=false', '-o', program, '.'], { cwd, timeout: TIMEOUT_MS })
  } catch (error) {
    throw new Error(`go could not compile ${cwd}: ${error}\n${(error as { stderr?: string }).stderr ?? ''}`)
  }
  return program
}
