// Part of every module with mutants: selects the active one, or records the mutants reached.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

const active = process.env.HOMEPORT_TEST_MUTANT ?? ''
const folder = process.env.HOMEPORT_TEST_MUTATION_HITS

/** Minimum interval between two records of the same mutant, in milliseconds. */
export const HIT_INTERVAL_MS = 100

/** @type {Map<string, number>} the time of the last record of each mutant */
const recorded = new Map()

/** Returns whether the mutant replaces the original code in this process. */
export const isActive = folder === undefined ? (id) => id === active : recordHit

/**
 * Appends a hit to the file of this thread, synchronously, because a test can kill the process at any time. A worker of Vitest
 * adds its test file; hits of a server are assigned by time.
 */
function recordHit(id) {
  const file = globalThis.__vitest_worker__?.filepath ?? ''
  const key = `${id} ${file}`
  const now = Date.now()
  if (now - (recorded.get(key) ?? 0) >= HIT_INTERVAL_MS) {
    recorded.set(key, now)
    appendFileSync(join(folder, `${process.pid}-${threadId}`), `${id}\t${now}\t${file}\n`)
  }
  return false
}
