import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Who holds a lock, as its file says. */
export interface LockHolder {
  readonly pid: number
  /** When the process was started, in the system's words: with it a pid means one process and no later one. */
  readonly started: string
  /** One holding of the lock by that process. */
  readonly nonce: string
  /** Where the holder answers HTTP, once it does. */
  readonly url: string | null
  /** Device and inode of the lock's directory: another directory has a copy of the lock. Absent in locks of earlier versions. */
  readonly place?: string
}

/** A lock that is held. */
export interface DirectoryLock {
  /** Tells others where the holder answers. */
  announce(url: string): void
  release(): void
}

/** The lock is a copy: its holder runs, and holds the lock of another directory. */
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
 * Takes the lock file `path`, or throws `LockHeld` or `LockCopied`. A lock whose holder was killed counts for nothing: of any number of
 * processes that find it, one gets it. Processes of other containers cannot be seen; a directory is for one at a time.
 */
export function acquireLock(path: string): DirectoryLock {
  const { pid } = process
  const nonce = randomBytes(8).toString('hex')
  const own: LockHolder = { pid, started: startOf(pid) ?? '', nonce, url: null, place: placeOf(path) }
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

/** The running holder of the lock file `path`; null when nobody holds it. */
export function lockHolder(path: string): LockHolder | null {
  const holder = readLock(path)
  return holder && isRunning(holder) && !isCopied(path, holder) ? holder : null
}

/**
 * Puts the file `draft` at `path`. A link appears whole or not at all, and only where nothing is. What a dead holder
 * left there is replaced only by whoever holds the lock on succeeding exactly that holding: without it, the slower of
 * two that found the same remains would replace the lock of the faster one.
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
  return place !== undefined && place !== '' && place !== placeOf(path)
}

/** Empty where the file system has no inodes. */
function placeOf(path: string): string {
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

/** A file that makes no sense was cut short by a power failure, because locks appear whole: its holder is no more. */
function readLock(path: string): LockHolder | null {
  const nobody = { pid: 0, started: '', nonce: 'unreadable', url: null }
  try {
    return { ...nobody, ...(JSON.parse(readFileSync(path, 'utf8')) as Partial<LockHolder>) }
  } catch (error) {
    if (error instanceof SyntaxError) return nobody
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Removes what processes that were killed in the middle of `take` left behind. */
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
 * When the process `pid` was started: null when there is none, or it has ended and waits to be collected; empty when the
 * system does not say, as on Windows.
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

/** The start is counted from the boot, so the boot belongs to it. */
function startOnLinux(pid: number): string | null {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  // The second field is the program's name in parentheses, in which anything may stand; the third is the state.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields[0] === 'Z' || fields[0] === 'X' ? null : `${boot} ${fields[19]}`
}
