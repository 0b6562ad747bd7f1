import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The owner of a file, as numeric ids. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** A program to start, as arguments of `spawn`. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly identity: { readonly uid?: number; readonly gid?: number }
}

/** The user that PostgreSQL's programs run as. */
export interface PostgresUser {
  /** The required owner of its files; null when that is the current user. */
  readonly owner: Owner | null
  /** Returns the command that runs a program as this user. */
  command(file: string, args: readonly string[]): Command
}

const ourselves: PostgresUser = { owner: null, command: (file, args) => ({ file, args, identity: {} }) }

/**
 * Chooses the user that runs PostgreSQL. An ordinary user runs it directly. PostgreSQL refuses to run as root, so as root it runs
 * as the owner of an existing data directory, else as the system's `postgres`, else as `nobody`, in the first way in which that
 * user can access all of `paths` (a checkout under /root is closed to other users). Throws with one line when no way works.
 */
export function choosePostgresUser(existing: Owner | null, paths: readonly string[]): PostgresUser {
  if (process.getuid?.() !== 0) return ourselves
  const owner = existing && existing.uid !== 0 ? existing : systemUser()
  const tests = paths.flatMap((path, index) => (index === 0 ? ['-x', path] : ['-a', '-x', path]))
  for (const user of waysToBecome(owner)) {
    const { file, args, identity } = user.command('test', tests)
    if (spawnSync(file, args, { ...identity, cwd: '/', stdio: 'ignore' }).status === 0) return user
  }
  throw new Error(
    `PostgreSQL does not run as root, and user number ${owner.uid} cannot reach ${paths.join(' and ')}. ` +
      'Run Homeport as an ordinary user, or install it and choose --data in directories that other users can enter.',
  )
}

/** Returns ways to run as a user, the simplest first; the later ones are for machines on which the earlier ones fail. */
function waysToBecome(owner: Owner): readonly PostgresUser[] {
  const plain: PostgresUser = { owner, command: (file, args) => ({ file, args, identity: owner }) }
  if (process.platform !== 'linux') return [plain]
  return [
    plain,
    withCapability(owner, 'dac_read_search'),
    // Containers commonly withhold dac_read_search and grant this one.
    withCapability(owner, 'dac_override'),
    renamedRoot(owner),
  ]
}

/**
 * The user keeps one right of root: to traverse closed directories. `no_setuid_fixup` makes the kernel honor it in access(2) too,
 * with which PostgreSQL finds its own programs.
 */
function withCapability({ uid, gid }: Owner, capability: string): PostgresUser {
  const keep = [`--inh-caps=+${capability}`, `--ambient-caps=+${capability}`, '--securebits=+no_setuid_fixup']
  const become = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...keep]
  return {
    owner: { uid, gid },
    command: (file, args) => ({ file: 'setpriv', args: [...become, file, ...args], identity: {} }),
  }
}

/**
 * For a root user without root's capabilities: a user namespace in which this process has the other user's id. Outside the
 * namespace it is still the same user, so the owner of the files is unchanged.
 */
function renamedRoot({ uid, gid }: Owner): PostgresUser {
  const rename = ['--user', `--map-user=${uid}`, `--map-group=${gid}`]
  return {
    owner: { uid: 0, gid: 0 },
    command: (file, args) => ({ file: 'unshare', args: [...rename, file, ...args], identity: {} }),
  }
}

/**
 * Returns the system user that runs PostgreSQL. It is called `_postgres` on macOS. It must be in the passwd database, or initdb
 * fails.
 */
function systemUser(): Owner {
  const entries = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, , uid, gid] = entries.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL does not run as root, and the system has no user `postgres` or `nobody` to run it as.')
}
