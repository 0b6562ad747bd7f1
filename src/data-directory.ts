import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { acquireLock, type DirectoryLock, LockCopied, LockHeld, lockHolder } from './directory-lock.ts'

/** The directory in which Homeport stores all data, locked for this process. All paths are absolute. */
export interface DataDirectory {
  readonly path: string
  readonly postgres: string
  readonly files: string
  /** Cache of processed pictures, which may be deleted at any time. */
  readonly pictures: string
  readonly outbox: string
  readonly exports: string
  /** The last lines of the log. */
  readonly logs: string
  /** Files that administrators upload for moves into apps. */
  readonly moves: string
  /** A constant id, unique to each data directory. */
  readonly id: string
  /** Stores the URL of the running server for the command line. */
  announce(url: string): void
  release(): void
}

/** A file in a data directory whose restore has not finished. */
export const RESTORE_MARKER = 'restore-unfinished'

/** Another process uses the data directory. */
export class DataDirectoryInUse extends Error {
  readonly pid: number
  /** The HTTP URL of that process; null while it starts. */
  readonly url: string | null

  constructor(path: string, pid: number, url: string | null) {
    super(`The data directory ${path} is in use by another Homeport: process ${pid}${url ? `, ${url}` : ''}.`)
    this.name = 'DataDirectoryInUse'
    this.pid = pid
    this.url = url
  }
}

/**
 * Opens the data directory `path` for this process alone, and creates it and its parts if missing (the embedded database creates
 * `postgres`). Throws `DataDirectoryInUse`, or an Error with one line for the user when the directory cannot be created or
 * written.
 * @param options.restoring whether it is opened by a restore; otherwise one with an unfinished restore is refused
 */
export function openDataDirectory(path: string, { restoring = false } = {}): DataDirectory {
  const root = resolve(path)
  if (!restoring && existsSync(join(root, RESTORE_MARKER)))
    throw new Error(
      `The data directory ${root} contains an unfinished restore. Repeat the restore: it continues over it.`,
    )
  const parts = {
    files: join(root, 'files'),
    pictures: join(root, 'pictures'),
    outbox: join(root, 'outbox'),
    exports: join(root, 'exports'),
    logs: join(root, 'logs'),
    moves: join(root, 'moves'),
  }
  const lock = attempt(root, () => {
    makeDirectory(root, rootMode())
    const lock = acquireLock(lockFile(root))
    for (const part of Object.values(parts)) makeDirectory(part, 0o700)
    return lock
  })
  return {
    path: root,
    postgres: join(root, 'postgres'),
    ...parts,
    id: idOf(root),
    announce: (url) => lock.announce(url),
    release: () => lock.release(),
  }
}

/** Returns the server that runs on the data directory `path`; null when none does. */
export function runningServer(path: string): { pid: number; url: string | null } | null {
  const holder = lockHolder(lockFile(resolve(path)))
  return holder && { pid: holder.pid, url: holder.url }
}

/** Returns the directory's id, and creates it if missing. The directory is locked by then. */
function idOf(root: string): string {
  const path = join(root, 'node-id')
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const id = randomBytes(8).toString('hex')
  writeFileSync(path, `${id}\n`, { mode: 0o600 })
  return id
}

const lockFile = (root: string) => join(root, 'server.lock')

/** As root, the database runs as another user, who must be able to pass through. The parts are private either way. */
const rootMode = () => (process.getuid?.() === 0 ? 0o711 : 0o700)

/**
 * Creates a directory with a mode. The mode is also set afterwards, because the umask clears bits; an existing directory keeps
 * its mode.
 */
function makeDirectory(path: string, mode: number): void {
  if (mkdirSync(path, { recursive: true, mode }) !== undefined) chmodSync(path, mode)
}

function attempt(root: string, open: () => DirectoryLock): DirectoryLock {
  try {
    return open()
  } catch (error) {
    if (error instanceof LockHeld) throw new DataDirectoryInUse(root, error.holder.pid, error.holder.url)
    if (error instanceof LockCopied)
      throw new Error(
        `The data directory ${root} is a copy that was made while a Homeport, process ${error.holder.pid}, ran on the original. ` +
          'Such a copy may be damaged. Stop that Homeport and copy again, or remove server.lock in the copy to start anyway.',
      )
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`Cannot use the data directory ${root}: ${reasons[code ?? ''] ?? message}.`)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'a file with that name exists',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EPERM: 'the operation is not permitted, or its file system has no hard links',
  EROFS: 'the file system is read-only',
}
