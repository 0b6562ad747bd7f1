import type { Counts } from '../counts.ts'
import { number, rowDecoder } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { firstOf, type Notice, notice } from '../notices/notice.ts'
import type { AlertCondition } from './alert-state.ts'

const MINUTE = 60_000
const MB = 1024 * 1024
const GB = 1024 * MB
/** A disk is short when it has less free than this share and this size, or twice the reserve. */
const LITTLE_SHARE = 0.1
const LITTLE_BYTES = 5 * GB
/** Attempts after which a mail counts as failing: the mail server has not accepted it for more than half a minute. */
const FAILING_ATTEMPTS = 3
/** Maximum number of mails counted. */
const MAX_COUNTED = 1000
/** Pushes fail when at least so many devices of a channel failed within the window, and more than half of all. */
const PUSH_WINDOW_MS = 10 * MINUTE
const MIN_FAILED_DEVICES = 20
/** Successive readings after which a lost connection is a problem. */
const LOST_READINGS = 3
/** Unexpected ends within the window that are a problem. */
const CRASH_WINDOW_MS = 60 * MINUTE
const MAX_CRASHES = 3
/** Maximum number of apps that are named. */
const MAX_NAMED = 10

/** @param disk returns bytes @param reserveOf returns the bytes of a disk that uploads leave free */
export function diskCondition(
  disk: () => Promise<{ readonly free: number; readonly total: number }>,
  reserveOf: (total: number) => number,
): AlertCondition {
  return {
    id: 'disk',
    isOfNode: true,
    async read() {
      const { free, total } = await disk()
      // Some file systems do not report their size.
      if (total === 0) return null
      const little = Math.max(2 * reserveOf(total), Math.min(total * LITTLE_SHARE, LITTLE_BYTES))
      return free < little ? notice('alertDisk', { free: Math.floor(free / MB), total: Math.floor(total / MB) }) : null
    },
  }
}

export function databaseDiskCondition(isFull: () => boolean): AlertCondition {
  return {
    id: 'database-disk',
    isOfNode: false,
    read: async () => (isFull() ? notice('alertDatabaseDisk') : null),
  }
}

/** Mails that the mail server does not accept, or that were given up. */
export function mailCondition(database: Database): AlertCondition {
  return {
    id: 'mail',
    isOfNode: false,
    async read() {
      const [row] = await database.query(sql`
        SELECT
          (SELECT count(*) FROM (
            SELECT 1 FROM homeport.jobs WHERE kind = 'mail' AND attempts >= ${FAILING_ATTEMPTS} LIMIT ${MAX_COUNTED}
          ) AS retried) AS waiting,
          (SELECT count(*) FROM homeport.failed_jobs
            WHERE kind = 'mail' AND failed_at > now() - interval '1 hour') AS failed`)
      const { waiting, failed } = decodeMails(row!)
      return waiting + failed > 0 ? notice('alertMail', { waiting, failed }) : null
    },
  }
}

const decodeMails = rowDecoder({ waiting: number('waiting'), failed: number('failed') })

/** Pushes of this node that fail at a provider. @param now returns milliseconds */
export function pushCondition(pushDevices: Counts, now: () => number = Date.now): AlertCondition {
  const readings: { readonly at: number; readonly byChannel: ReadonlyMap<string, PushCounts> }[] = []
  return {
    id: 'push',
    isOfNode: true,
    async read() {
      const latest = { at: now(), byChannel: byChannel(pushDevices) }
      readings.push(latest)
      // The first one is from the beginning of the window, or a little earlier; the counts began at 0.
      while (readings.length > 1 && readings[1]!.at <= latest.at - PUSH_WINDOW_MS) readings.shift()
      const problems = [...latest.byChannel].flatMap(([channel, counts]) => {
        const before = readings.length > 1 ? readings[0]!.byChannel.get(channel) : undefined
        const failed = counts.failed - (before?.failed ?? 0)
        const devices = failed + counts.accepted - (before?.accepted ?? 0)
        return failed >= MIN_FAILED_DEVICES && failed > devices / 2
          ? [notice('alertPush', { channel, failed, devices })]
          : []
      })
      return problems[0] ?? null
    },
  }
}

interface PushCounts {
  readonly accepted: number
  /** Includes deliveries that are retried later. */
  readonly failed: number
}

function byChannel(pushDevices: Counts): Map<string, PushCounts> {
  const counts = new Map<string, PushCounts>()
  for (const { labels, value } of pushDevices.all()) {
    const [channel, outcome] = labels as [string, string]
    const { accepted, failed } = counts.get(channel) ?? { accepted: 0, failed: 0 }
    if (outcome === 'accepted') counts.set(channel, { accepted: accepted + value, failed })
    else if (outcome === 'failed' || outcome === 'later') counts.set(channel, { accepted, failed: failed + value })
  }
  return counts
}

/** @param down returns the ids of the apps whose production engine does not respond */
export function engineCondition(down: () => readonly string[]): AlertCondition {
  const readings = new Map<string, number>()
  return {
    id: 'engine',
    isOfNode: false,
    async read() {
      const now = new Set(down())
      for (const appId of readings.keys()) if (!now.has(appId)) readings.delete(appId)
      for (const appId of now) readings.set(appId, (readings.get(appId) ?? 0) + 1)
      // A deployment restarts an engine within minutes.
      const lasting = [...readings].filter(([, count]) => count >= LOST_READINGS).map(([appId]) => appId)
      return lasting.length > 0 ? notice('alertEngine', { apps: firstOf(lasting.sort(), MAX_NAMED) }) : null
    },
  }
}

/** @param isConnected null without Redis */
export function redisCondition(isConnected: () => boolean | null): AlertCondition {
  let lost = 0
  return {
    id: 'redis',
    isOfNode: false,
    async read() {
      lost = isConnected() === false ? lost + 1 : 0
      return lost >= LOST_READINGS ? notice('alertRedis') : null
    },
  }
}

/** @param crashes returns the times of unexpected ends of the server, in milliseconds since 1970 */
export function crashCondition(crashes: () => readonly number[], now: () => number = Date.now): AlertCondition {
  return {
    id: 'crashes',
    isOfNode: true,
    read: async () => crashProblem('alertCrashes', crashes().filter((at) => now() - at < CRASH_WINDOW_MS).length),
  }
}

/** @param restarts returns how often the embedded PostgreSQL has ended unexpectedly; null for an external one */
export function postgresCondition(restarts: () => number | null, now: () => number = Date.now): AlertCondition {
  const seen: number[] = []
  let known = 0
  return {
    id: 'postgres-crashes',
    isOfNode: true,
    async read() {
      const count = restarts() ?? 0
      for (; known < count; known++) seen.push(now())
      while (seen.length > 0 && now() - seen[0]! >= CRASH_WINDOW_MS) seen.shift()
      return crashProblem('alertPostgresCrashes', seen.length)
    },
  }
}

function crashProblem(code: 'alertCrashes' | 'alertPostgresCrashes', times: number): Notice | null {
  return times >= MAX_CRASHES ? notice(code, { times }) : null
}
