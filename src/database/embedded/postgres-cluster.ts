import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, lchown, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { postgresEnvironment } from './postgres-environment.ts'
import type { Owner, PostgresUser } from './postgres-user.ts'

/** The superuser of an embedded database, and its only user. */
export const superuser = 'homeport'

/** Returns the owner of a data directory, or null when it does not hold a database yet. */
export async function clusterOwner(directory: string): Promise<Owner | null> {
  if ((await readIfThere(join(directory, 'PG_VERSION'))) === null) return null
  const { uid, gid } = await stat(directory)
  return { uid, gid }
}

/**
 * Ensures that `directory` holds a database of the binaries' version that `user` can run, and creates one if there is none.
 * Returns the superuser's password. It is stored in the file `<directory>-password`, readable only by this process's user,
 * outside the directory that PostgreSQL's user owns.
 */
export async function openCluster(directory: string, binaries: PostgresBinaries, user: PostgresUser): Promise<string> {
  await removeUnfinished(directory)
  const version = await readIfThere(join(directory, 'PG_VERSION'))
  if (version === null) return createCluster(directory, binaries, user)

  if (Number(version) !== binaries.major) throw otherVersion(directory, version.trim(), binaries.major)
  await takeOwnership(directory, user.owner)
  const password = await readIfThere(passwordFile(directory))
  if (!password) {
    throw new Error(`${passwordFile(directory)}, the password of the database in ${directory}, is missing or empty.`)
  }
  return password.trim()
}

const passwordFile = (directory: string) => `${directory}-password`
const unfinishedPrefix = (directory: string) => `${directory}.unfinished-`

/**
 * Creates a data directory. initdb works in a directory of another name, which is renamed when all of it is on disk, so that a
 * data directory is either complete or absent.
 */
async function createCluster(directory: string, binaries: PostgresBinaries, user: PostgresUser): Promise<string> {
  const present = await readdir(directory).catch(() => [])
  if (present.length > 0) throw new Error(`${directory} is not empty and is not a PostgreSQL data directory.`)

  const password = (await readIfThere(passwordFile(directory)))?.trim() || (await newPassword(passwordFile(directory)))
  const work = await mkdtemp(unfinishedPrefix(directory))
  const [data, copy] = [join(work, 'data'), join(work, 'password')]
  await writeFile(copy, password, { mode: 0o600 })
  await mkdir(data, { mode: 0o700 })
  if (user.owner) for (const path of [work, copy, data]) await chown(path, user.owner.uid, user.owner.gid)

  await initialise(user, binaries, data, copy)
  await rename(data, directory)
  await syncDirectory(dirname(directory))
  await rm(work, { recursive: true })
  return password
}

/** Creates the password file. It is written to disk first, because the database is unusable without it. */
async function newPassword(path: string): Promise<string> {
  const password = randomBytes(32).toString('base64url')
  const file = await open(path, 'w', 0o600)
  await file.writeFile(`${password}\n`)
  await file.sync()
  await file.close()
  return password
}

async function initialise(
  user: PostgresUser,
  { initdb, libraries }: PostgresBinaries,
  directory: string,
  passwordFile: string,
): Promise<void> {
  const { file, args, identity } = user.command(initdb, [
    `--pgdata=${directory}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Text is ordered by code points, regardless of the machine's locale and C library.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    // Iterations protect a guessable password. This one is 256 random bits, so they would only slow down each connection.
    '--set=scram_iterations=1',
  ])
  await promisify(execFile)(file, args, {
    ...identity,
    cwd: dirname(initdb),
    env: postgresEnvironment(libraries),
  }).catch((error: Error & { stderr?: string }) => {
    const reason = error.stderr?.split('\n').find((line) => /error|denied|invalid/i.test(line)) ?? error.message
    throw new Error(`PostgreSQL could not create its data directory beside ${directory}: ${reason.trim()}`)
  })
}

/**
 * Gives the data directory to PostgreSQL's user. A restored backup may belong to root, which PostgreSQL refuses; files of another
 * user are left alone.
 */
async function takeOwnership(directory: string, owner: Owner | null): Promise<void> {
  const { uid } = await stat(directory)
  const wanted = owner?.uid ?? process.getuid?.() ?? uid
  if (uid === wanted) return
  if (!owner || uid !== 0) {
    throw new Error(`${directory} belongs to the user number ${uid}: run Homeport as that user, or as root.`)
  }
  const inside = await readdir(directory, { recursive: true })
  for (const path of ['.', ...inside]) await lchown(join(directory, path), owner.uid, owner.gid)
}

function otherVersion(directory: string, found: string, ours: number): Error {
  return new Error(
    `${directory} was created by PostgreSQL ${found}. This Homeport includes PostgreSQL ${ours}, which cannot read it. ` +
      'Run the Homeport version that created it, dump its database "homeport" with pg_dump, and restore that into a new --data.',
  )
}

/** Removes the remains of a start that was killed during initdb. That initdb may still be writing. */
async function removeUnfinished(directory: string): Promise<void> {
  const prefix = basename(unfinishedPrefix(directory))
  for (const name of await readdir(dirname(directory))) {
    if (!name.startsWith(prefix)) continue
    await rm(join(dirname(directory), name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  await directory.sync()
  await directory.close()
}

async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    const advice = error.code === 'EACCES' ? ': run Homeport as the user to whom it belongs, or as root' : ''
    throw new Error(`Cannot read ${path} (${error.code})${advice}.`)
  })
}
