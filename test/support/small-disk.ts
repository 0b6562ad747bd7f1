import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether small file systems can be made here: root of Linux may, unless a container forbids it. */
export const canMount = tryToMount()

if (!canMount) console.warn('Tests with a full disk are skipped: they need root, who may mount a tmpfs.')

/** Mounts an empty file system of so many megabytes in a directory, which is made if it is not there. */
export function mountSmallDisk(directory: string, megabytes: number) {
  mkdirSync(directory, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory])
  // As a directory that was made for a database.
  chmodSync(directory, 0o711)
  return {
    /** Makes it larger. */
    grow: (size: number) => void execFileSync('mount', ['-o', `remount,size=${size}m`, directory]),
    unmount: () => void execFileSync('umount', ['-l', directory]),
  }
}

function tryToMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory], { stdio: 'ignore' })
    execFileSync('umount', [directory])
    return true
  } catch {
    return false
  } finally {
    rmdirSync(directory)
  }
}
