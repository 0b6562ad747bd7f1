import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux mounts a RAM disk here; containers often limit it to 64 MB. */
const RAM_DISK = '/dev/shm'
/** Minimum free bytes for a run of the full suite, on the RAM disk and in memory. A run uses up to half of it. */
const MIN_FREE_BYTES = 4 * 1024 ** 3

/**
 * Creates the directory of a test run, on a RAM disk with enough free space: tests and PostgreSQL each create some hundred
 * thousand small files. Directories of killed runs are deleted.
 * @returns its absolute path
 */
export function makeRunDirectory(): string {
  deleteAbandoned()
  // Mutation tests name their runs, to find the processes left by a killed run.
  const name = process.env.HOMEPORT_TEST_RUN ?? `homeport-test-${process.pid}`
  const directory = mkdtempSync(join(hasRamDisk() ? RAM_DISK : tmpdir(), `${name}-`))
  // As root, databases run as another user, which needs access to the directory.
  chmodSync(directory, 0o711)
  return directory
}

function hasRamDisk(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const { bavail, bsize } = statfsSync(RAM_DISK)
    const available = /MemAvailable: +(\d+) kB/.exec(readFileSync('/proc/meminfo', 'utf8'))
    return bavail * bsize >= MIN_FREE_BYTES && Number(available?.[1] ?? 0) * 1024 >= MIN_FREE_BYTES
  } catch {
    return false
  }
}

/** Deletes only from the RAM disk: the system clears its temporary directory, and memory is scarce. */
function deleteAbandoned(): void {
  if (process.platform !== 'linux') return
  for (const name of namesIn(RAM_DISK)) {
    const pid = Number(/^homeport-test-(\d+)-/.exec(name)?.[1])
    if (!(pid > 0) || isAlive(pid)) continue
    try {
      rmSync(join(RAM_DISK, name), { recursive: true, force: true, maxRetries: 5 })
    } catch {
      // The directory belongs to another user, and only that user can delete it.
    }
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
