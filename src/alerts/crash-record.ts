import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Maximum number of crashes that are kept. */
const MAX_CRASHES = 20

/** The unexpected ends of earlier runs of the server, in a file of the data directory. */
export interface CrashRecord {
  /** Their times of detection, in milliseconds since 1970, oldest first. */
  readonly crashes: readonly number[]
  /** Notes that the server ends as intended. */
  end(): void
}

/**
 * Opens the record for a run of the server. A run that did not end with `end` has crashed, or its machine has.
 * @param directory the data directory, which this process has locked
 */
export function openCrashRecord(directory: string, now: number = Date.now()): CrashRecord {
  const path = join(directory, 'runs.json')
  const { isRunning, crashes: before } = readRecord(path)
  const crashes = isRunning ? [...before, now].slice(-MAX_CRASHES) : before
  writeRecord(path, { isRunning: true, crashes })
  return { crashes, end: () => writeRecord(path, { isRunning: false, crashes }) }
}

interface Stored {
  readonly isRunning: boolean
  readonly crashes: readonly number[]
}

/** An unreadable record, for example after a crash of the machine, counts as empty. */
function readRecord(path: string): Stored {
  try {
    const { isRunning, crashes } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    const times = Array.isArray(crashes) ? crashes.filter((at): at is number => typeof at === 'number') : []
    return { isRunning: isRunning === true, crashes: times.slice(-MAX_CRASHES) }
  } catch {
    return { isRunning: false, crashes: [] }
  }
}

/** A full disk must not keep the server from starting. */
function writeRecord(path: string, record: Stored): void {
  try {
    writeFileSync(`${path}.tmp`, `${JSON.stringify(record)}\n`, { mode: 0o600 })
    renameSync(`${path}.tmp`, path)
  } catch {
    rmSync(`${path}.tmp`, { force: true })
  }
}
