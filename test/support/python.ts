import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findProgram } from './find-program.ts'

/** Outside the tree, and kept between test runs. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/python', import.meta.url))
/** Timeout of an installation, in milliseconds. */
const TIMEOUT_MS = 300_000

/**
 * The Python for tests: HOMEPORT_TEST_PYTHON, else python3 in its usual locations, with pip. null: not installed, and tests that
 * need it are skipped.
 */
export const python: string | null = withPip(findProgram('HOMEPORT_TEST_PYTHON', ['python3']))

if (python === null) {
  console.warn(
    'Tests with the Python client are skipped: no python3 with pip was found. Install them (Debian: apt-get install python3 python3-pip), or let HOMEPORT_TEST_PYTHON name the file of a Python 3.',
  )
}

/**
 * Installs the pinned packages of requirements files, unless they are installed already.
 * @param files earlier ones take precedence
 * @returns environment variables that make `python` find them and write no compiled files into the tree
 * @throws Error with the output of pip when a package is unavailable, because the tests must not be skipped silently
 */
export async function installPackages(files: readonly URL[]): Promise<Record<string, string>> {
  if (python === null) throw new Error('There is no Python.')
  const directories: string[] = []
  for (const file of files) directories.push(await installed(python, file))
  return { PYTHONPATH: directories.join(delimiter), PYTHONDONTWRITEBYTECODE: '1' }
}

/** Installs a file atomically: a directory is renamed when complete, so concurrent installations do not conflict. */
async function installed(program: string, file: URL): Promise<string> {
  const version = spawnSync(program, ['-VV'], { encoding: 'utf8' }).stdout
  const hash = createHash('sha256')
    .update(version)
    .update(await readFile(file))
  const directory = join(CACHE, hash.digest('hex').slice(0, 16))
  if (existsSync(directory)) return directory
  await mkdir(CACHE, { recursive: true })
  const unfinished = await mkdtemp(join(CACHE, 'unfinished-'))
  const options = ['--no-deps', '--disable-pip-version-check', '--no-input', '--target', unfinished]
  try {
    await promisify(execFile)(program, ['-m', 'pip', 'install', ...options, '-r', fileURLToPath(file)], {
      timeout: TIMEOUT_MS,
    })
    await rename(unfinished, directory)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (existsSync(directory)) return directory
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`pip could not install ${fileURLToPath(file)}: ${error}\n${stdout ?? ''}${stderr ?? ''}`)
  }
  return directory
}

function withPip(program: string | null): string | null {
  return program !== null && spawnSync(program, ['-m', 'pip', '--version']).status === 0 ? program : null
}
