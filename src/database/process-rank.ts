import { open } from 'node:fs/promises'
import { constants, getPriority, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connectionOf } from './connection.ts'

/** How often a rank is written that the kernel took no time for, and the milliseconds in between. */
const TRIES = 20
const PAUSE = 150

/**
 * Lets a process of this machine give way to this one.
 *
 * Linux may put each session of processes in a group of its own (sched_autogroup), and then `nice` counts within the group
 * alone. PostgreSQL makes a session of every backend: a dozen of them would have a dozen shares of the processor beside one
 * of this process, whatever their priority. So the rank of the group is set too.
 * @param pid a process that leads its session, as PostgreSQL's do
 * @param steps how much less than this process it counts, in the steps of `nice`
 */
export async function giveWay(pid: number, steps: number): Promise<void> {
  const rank = Math.min(getPriority() + steps, constants.priority.PRIORITY_LOW)
  try {
    setPriority(pid, rank)
  } catch {
    // It has gone, or belongs to somebody else.
    return
  }
  if (process.platform === 'linux') await rankGroup(pid, rank)
}

/**
 * Makes the database processes of a pool give way to all others. Slow queries would otherwise keep this process from the
 * processors as long as they keep each other, and no client could even connect meanwhile.
 * @param steps of `nice`
 */
export function rankPool(pool: pg.Pool, steps: number): void {
  pool.on('connect', (client) => {
    void giveWay(connectionOf(client).backend, steps)
  })
}

/** The kernel takes ten ranks a second from who is not root, and refuses the others with EAGAIN. */
async function rankGroup(pid: number, rank: number): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      // Never to be created: where there are no groups, or the process has gone, there is no such file.
      const file = await open(`/proc/${pid}/autogroup`, 'r+')
      try {
        await file.write(String(rank))
      } finally {
        await file.close()
      }
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      await sleep(PAUSE * (1 + Math.random()), null, { ref: false })
    }
  }
}
