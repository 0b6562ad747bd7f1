import { open } from 'node:fs/promises'
import { constants, getPriority, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connectionOf } from './connection.ts'

/** How often setting a rank is retried when the kernel refuses it, and the milliseconds in between. */
const TRIES = 20
const PAUSE = 150

/**
 * Lowers the priority of a local process below this one.
 *
 * Linux may put each session of processes into its own group (sched_autogroup); then `nice` counts only within the group.
 * PostgreSQL makes each backend a session: a dozen of them would get a dozen shares of the processor next to one of this process,
 * whatever their priority. So the rank of the group is set too.
 * @param pid a process that leads its session, as PostgreSQL's processes do
 * @param steps how much lower than this process it is ranked, in steps of `nice`
 */
export async function giveWay(pid: number, steps: number): Promise<void> {
  const rank = Math.min(getPriority() + steps, constants.priority.PRIORITY_LOW)
  try {
    setPriority(pid, rank)
  } catch {
    // The process has ended, or belongs to another user.
    return
  }
  if (process.platform === 'linux') await rankGroup(pid, rank)
}

/**
 * Lowers the priority of a pool's database processes. Otherwise slow queries would compete with this process for the processors,
 * and no client could even connect meanwhile.
 * @param steps of `nice`
 */
export function rankPool(pool: pg.Pool, steps: number): void {
  pool.on('connect', (client) => {
    void giveWay(connectionOf(client).backend, steps)
  })
}

/** Sets the rank of a group. For users other than root, the kernel accepts ten per second and refuses the rest with EAGAIN. */
async function rankGroup(pid: number, rank: number): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      // The file must not be created: it does not exist if there are no groups or the process has ended.
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
