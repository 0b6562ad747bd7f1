import { setTimeout as sleep } from 'node:timers/promises'
import { checkCertificates } from './checks/certificates.ts'
import { checkClasses } from './checks/classes.ts'
import { checkClock } from './checks/clock.ts'
import { checkDataDirectory } from './checks/data-directory.ts'
import { checkDatabase } from './checks/database.ts'
import { checkDns } from './checks/dns.ts'
import { checkEngines } from './checks/engines.ts'
import { checkFiles } from './checks/files.ts'
import { checkMachine } from './checks/machine.ts'
import { checkMigrations } from './checks/migrations.ts'
import { checkPictures } from './checks/pictures.ts'
import { checkProxies } from './checks/proxies.ts'
import { checkPublicUrl } from './checks/public-url.ts'
import { checkPushCredentials } from './checks/push-credentials.ts'
import { checkRedis } from './checks/redis.ts'
import { checkSearch } from './checks/search.ts'
import { checkServer } from './checks/server.ts'
import { checkSmtp } from './checks/smtp.ts'
import type { Examination } from './examination.ts'
import { type Finding, failure, reasonOf } from './finding.ts'

type Check = (examination: Examination) => readonly Finding[] | Promise<readonly Finding[]>

/** The checks by name, in the order of their findings. */
const CHECKS: Readonly<Record<string, Check>> = {
  machine: checkMachine,
  'data directory': checkDataDirectory,
  server: checkServer,
  database: checkDatabase,
  migrations: checkMigrations,
  files: checkFiles,
  search: checkSearch,
  pictures: checkPictures,
  redis: checkRedis,
  mail: checkSmtp,
  proxies: checkProxies,
  DNS: checkDns,
  certificates: checkCertificates,
  'public URL': checkPublicUrl,
  clock: checkClock,
  engines: checkEngines,
  push: checkPushCredentials,
  classes: checkClasses,
}

/** Seconds for each check. Checks run concurrently, so all of them take no longer. */
const LIMIT_SECONDS = 20

/**
 * Runs all checks concurrently. A check that fails or exceeds its time becomes a finding itself, so that the others are reported.
 * @param limitMs milliseconds for each check
 */
export async function runChecks(examination: Examination, limitMs = LIMIT_SECONDS * 1000): Promise<readonly Finding[]> {
  const runs = Object.entries(CHECKS).map(([name, check]) => runCheck(name, check, examination, limitMs))
  return (await Promise.all(runs)).flat()
}

async function runCheck(
  name: string,
  check: Check,
  examination: Examination,
  limitMs: number,
): Promise<readonly Finding[]> {
  const finished = new AbortController()
  const late = sleep(limitMs, null, { signal: finished.signal }).then(
    () => [failure('doctorCheckTimedOut', { check: name, seconds: String(limitMs / 1000) })],
    () => [],
  )
  try {
    return await Promise.race([check(examination), late])
  } catch (error) {
    return [failure('doctorCheckFailed', { check: name, reason: reasonOf(error) })]
  } finally {
    finished.abort()
  }
}
