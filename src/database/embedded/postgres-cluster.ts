import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, lchown, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { postgresEnvironment } from './postgres-process.ts'
import type { Owner, PostgresUser } from './postgres-user.ts'

/** The superuser of an embedded database, and the only user there is. */
export const superuser = 'homeport'

/** The owner of the data directory `directory`, or null when it does not hold a database yet. */
export async function clusterOwner(directory: string): Promise<Owner | null> {
  if ((await readIfThere(join(directory, 'PG_VERSION'))) === null) return null
  const { uid, gid } = await stat(directory)
  return { uid, gid }
}

/**
 * Makes sure that `directory` holds a database of the binaries' version that `user` can run, creating it when there is
 * none, and returns the superuser's password. That stands in the file `<directory>-password`, readable to us alone: not
 * in the directory, which PostgreSQL's user owns.
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
 * initdb works in a directory of another name, which is renamed when all of it is on disk: a data directory is complete
 * or is not there.
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

  await initialise(user, binaries.initdb, data, copy)
  await rename(data, directory)
  await syncDirectory(dirname(directory))
  await rm(work, { recursive: true })
  return password
}

/** The password goes to disk first, because the database is of no use without it. */
async function newPassword(path: string): Promise<string> {
  const password = randomBytes(32).toString('base64url')
  const file = await open(path, 'w', 0o600)
  await file.writeFile(`${password}\n`)
  await file.sync()
  await file.close()
  return password
}

async function initialise(user: PostgresUser, initdb: string, directory: string, passwordFile: string): Promise<void> {
  const { file, args, identity } = user.command(initdb, [
    `--pgdata=${directory}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Text is ordered by code points, whatever the machine's locale and C library.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    // Rounds protect a guessable password. Ours is 256 random bits, and rounds would only slow down each connection.
    '--set=scram_iterations=1',
  ])
  await promisify(execFile)(file, args, { ...identity, cwd: dirname(initdb), env: postgresEnvironment() }).catch(
    (error: Error & { stderr?: string }) => {
      const reason = error.stderr?.split('\n').find((line) => /error|denied|invalid/i.test(line)) ?? error.message
      throw new Error(`PostgreSQL could not create its data directory beside ${directory}: ${reason.trim()}`)
    },
  )
}

/** A restored backup may belong to root, to whom PostgreSQL would not listen; files of another user are left alone. */
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
    `${directory} was made by PostgreSQL ${found}, and this Homeport brings PostgreSQL ${ours}, which cannot read it. ` +
      'Run the Homeport that made it, dump its database "homeport" with pg_dump, and restore that into a new --data.',
  )
}

/** What a start that was killed in the middle of initdb left behind; its initdb may still be writing. */
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
