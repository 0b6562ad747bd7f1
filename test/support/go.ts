import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findProgram } from './find-program.ts'

/** Milliseconds that getting the modules and compiling may take. */
const PATIENCE = 300_000

/** The Go that tests use: what HOMEPORT_TEST_GO names, else go where it usually is. null: tests that need it are skipped. */
export const go: string | null = findProgram('HOMEPORT_TEST_GO', ['go'], ['/usr/local/go/bin/go', '/usr/lib/go/bin/go'])

if (go === null) {
  console.warn(
    'Tests with the Go client, and those with an S3, are skipped: no go was found. Install it (Debian: apt-get install golang-go), or let HOMEPORT_TEST_GO name its file.',
  )
}

/**
 * Compiles a program into a temporary directory. Its modules are those of its go.sum.
 * @param folder where its go.mod is
 * @param atEnd vitest's `afterAll`: then the directory is removed
 * @returns its file
 * @throws Error with what go has written when a module cannot be had: the tests must not be skipped silently
 */
export async function compileGo(folder: URL, atEnd: (end: () => Promise<void>) => void): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'homeport-go-'))
  atEnd(() => rm(directory, { recursive: true, force: true }))
  const program = join(directory, 'program')
  const cwd = fileURLToPath(folder)
  try {
    await promisify(execFile)(go!, ['build', '-buildvcs=false', '-o', program, '.'], { cwd, timeout: PATIENCE })
  } catch (error) {
    throw new Error(`go could not compile ${cwd}: ${error}\n${(error as { stderr?: string }).stderr ?? ''}`)
  }
  return program
}
