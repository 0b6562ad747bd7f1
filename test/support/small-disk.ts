import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether small file systems can be mounted here: requires root on Linux, and containers may forbid it. */
export const canMount = tryToMount()

if (!canMount) console.warn('Tests with a full disk are skipped: they need root, who may mount a tmpfs.')

/** Mounts an empty file system of so many megabytes in a directory, creating it if necessary. */
export function mountSmallDisk(directory: string, megabytes: number) {
  mkdirSync(directory, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory])
  // The mode of a directory created for a database.
  chmodSync(directory, 0o711)
  return {
    /** Resizes it. */
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
