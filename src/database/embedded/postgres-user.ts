import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The owner of a file, as numbers of the system. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** A program to start: what `spawn` takes. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly identity: { readonly uid?: number; readonly gid?: number }
}

/** The user that PostgreSQL's programs run as. */
export interface PostgresUser {
  /** Whom its files must belong to; null when that is who we are anyway. */
  readonly owner: Owner | null
  /** The command that runs a program as this user. */
  command(file: string, args: readonly string[]): Command
}

const ourselves: PostgresUser = { owner: null, command: (file, args) => ({ file, args, identity: {} }) }

/**
 * Chooses who runs PostgreSQL. An ordinary user runs it himself. PostgreSQL refuses root, so root hands it to the owner
 * of an existing data directory, else to the system's `postgres`, else to `nobody`; in the first way by which that user
 * can get at all of `paths` (a checkout under /root is closed to everybody else). Throws with one line when none works.
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
      'Run Homeport as an ordinary user, or install it and choose --data in directories that other users may enter.',
  )
}

/** From the plainest to the most unusual; each next one is for machines on which those before it do not work. */
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
 * The user keeps one right of root: to walk through closed directories. `no_setuid_fixup` makes the kernel honour it in
 * access(2) too, with which PostgreSQL looks for its own programs.
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
 * For a root without the capabilities of root: a user namespace in which we have the other user's number. To the world
 * outside it is still us, so the files stay ours.
 */
function renamedRoot({ uid, gid }: Owner): PostgresUser {
  const rename = ['--user', `--map-user=${uid}`, `--map-group=${gid}`]
  return {
    owner: { uid: 0, gid: 0 },
    command: (file, args) => ({ file: 'unshare', args: [...rename, file, ...args], identity: {} }),
  }
}

/** `_postgres` is its name on macOS. The user must be in the passwd database, or initdb stops. */
function systemUser(): Owner {
  const entries = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, , uid, gid] = entries.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as.')
}
