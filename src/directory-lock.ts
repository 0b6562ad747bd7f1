import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The holder of a lock, as stored in its file. */
export interface LockHolder {
  readonly pid: number
  /** The start time of the process as reported by the system, which distinguishes it from later processes with the same pid. */
  readonly started: string
  /** Identifies one acquisition of the lock. */
  readonly nonce: string
  /** The holder's HTTP URL, once it serves requests. */
  readonly url: string | null
  /** Device and inode of the lock's directory, which differ in a copy of it. Absent in locks of earlier versions. */
  readonly place?: string
}

/** A lock held by this process. */
export interface DirectoryLock {
  /** Stores the holder's URL for other processes. */
  announce(url: string): void
  release(): void
}

/** The lock is a copy: its holder is running, and holds the lock of another directory. */
export class LockCopied extends Error {
  readonly holder: LockHolder

  constructor(holder: LockHolder) {
    super(`copied from the directory of process ${holder.pid}`)
    this.name = 'LockCopied'
    this.holder = holder
  }
}

/** The lock is held by a running process. */
export class LockHeld extends Error {
  readonly holder: LockHolder

  constructor(holder: LockHolder) {
    super(`held by process ${holder.pid}`)
    this.name = 'LockHeld'
    this.holder = holder
  }
}

/**
 * Acquires the lock file `path`, or throws `LockHeld` or `LockCopied`. A lock whose holder was killed is ignored: of any number
 * of processes that find it, exactly one gets it. Processes of other containers are invisible, so only one container may use a
 * directory.
 */
export function acquireLock(path: string): DirectoryLock {
  const { pid } = process
  const nonce = randomBytes(8).toString('hex')
  const own: LockHolder = { pid, started: startOf(pid) ?? '', nonce, url: null, place: locationOf(path) }
  const draft = `${path}-${own.nonce}`
  const write = (holder: LockHolder) => writeFileSync(draft, `${JSON.stringify(holder)}\n`)
  write(own)
  try {
    take(path, draft)
  } finally {
    rmSync(draft, { force: true })
  }
  sweep(path)
  return {
    announce(url) {
      write({ ...own, url })
      renameSync(draft, path)
    },
    release() {
      if (readLock(path)?.nonce === own.nonce) rmSync(path)
    },
  }
}

/** Returns the running holder of the lock file `path`; null when it is not held. */
export function lockHolder(path: string): LockHolder | null {
  const holder = readLock(path)
  return holder && isRunning(holder) && !isCopied(path, holder) ? holder : null
}

/**
 * Moves the file `draft` to `path`. A link is created atomically, and only if `path` does not exist. The lock of a dead holder is
 * replaced only by the process that holds the lock for succeeding exactly that acquisition: otherwise the slower of two processes
 * that found it would replace the lock of the faster one.
 */
function take(path: string, draft: string): void {
  for (;;) {
    if (linkIfFree(draft, path)) return
    const holder = readLock(path)
    if (holder === null) continue
    if (isRunning(holder)) throw isCopied(path, holder) ? new LockCopied(holder) : new LockHeld(holder)

    const succession = `${path}.${holder.nonce}`
    take(succession, draft)
    if (readLock(path)?.nonce === holder.nonce) {
      renameSync(succession, path)
      return
    }
    rmSync(succession, { force: true })
  }
}

function isCopied(path: string, { place }: LockHolder): boolean {
  return place !== undefined && place !== '' && place !== locationOf(path)
}

/** Returns the place of the lock's directory; empty when the file system has no inodes. */
function locationOf(path: string): string {
  const { dev, ino } = statSync(dirname(path), { bigint: true })
  return ino === 0n ? '' : `${dev}:${ino}`
}

function linkIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Reads a lock. Locks are created atomically, so an unparsable file was cut short by a power failure: its holder has ended. */
function readLock(path: string): LockHolder | null {
  const unreadable = { pid: 0, started: '', nonce: 'unreadable', url: null }
  try {
    return { ...unreadable, ...(JSON.parse(readFileSync(path, 'utf8')) as Partial<LockHolder>) }
  } catch (error) {
    if (error instanceof SyntaxError) return unreadable
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Removes files of processes that were killed during `take`. */
function sweep(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}-`) && !name.startsWith(`${basename(path)}.`)) continue
    const file = join(dirname(path), name)
    const holder = readLock(file)
    if (holder && holder.pid > 0 && !isRunning(holder)) rmSync(file, { force: true })
  }
}

function isRunning(holder: LockHolder): boolean {
  const started = holder.pid > 0 ? startOf(holder.pid) : null
  return started !== null && (started === holder.started || started === '')
}

/**
 * Returns when the process `pid` was started: null when it does not exist or is a zombie; empty when the system does not report
 * it, as on Windows.
 */
function startOf(pid: number): string | null {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null
  }
  try {
    switch (process.platform) {
      case 'win32':
        return ''
      case 'linux':
        return startOnLinux(pid)
      default:
        return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
          encoding: 'utf8',
          env: { LC_ALL: 'C' },
        }).trim()
    }
  } catch {
    return ''
  }
}

/** Includes the boot id, because Linux counts start times from the boot. */
function startOnLinux(pid: number): string | null {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  // The second field is the program's name in parentheses, which may contain any character; the third is the state.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields[0] === 'Z' || fields[0] === 'X' ? null : `${boot} ${fields[19]}`
}
