import { randomInt } from 'node:crypto'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.ts'
import { startHomeport, TRIVIAL } from '../contestants/homeport.ts'
import { startPostgres, temporaryDirectory } from '../postgres.ts'
import { fillInstallations } from './installations.ts'
import type { PushOptions } from './options.ts'
import { type AppDatabase, configure, type PushRecord, push, untilDone } from './server.ts'
import { type Counts, startStandIn } from './stand-in.ts'

export interface CrashFigures {
  readonly devices: number
  readonly kills: number
  /** The number of devices the provider had received when a server was killed. */
  readonly killedAt: readonly number[]
  /** Milliseconds from the request until the record was done. */
  readonly elapsed: number
  readonly record: PushRecord
  readonly counts: Counts
  /** The load of the machine before the start. */
  readonly load: number
}

/** Interval of progress checks, in milliseconds. */
const INTERVAL = 10

/** Kills servers during a push to all, and counts the messages of each device. */
export async function measureCrash(root: string, options: PushOptions, cleanup: Cleanup): Promise<CrashFigures> {
  const { devices, provider, kills } = options
  const standIn = await startStandIn(provider, cleanup)
  const { url: databaseUrl, query } = await (await startPostgres(cleanup)).database('push')
  const database: AppDatabase = { query, table: (name) => `"app_${TRIVIAL.headers['X-LC-Id']}"."${name}"` }
  const homes = [await temporaryDirectory(cleanup), await temporaryDirectory(cleanup)]
  const start = (home: string) =>
    cleanup.keep(startHomeport(root, join(home, 'data'), databaseUrl), (server) => server.stop())
  const servers = [await start(homes[0]!), await start(homes[1]!)]
  await configure(servers[0]!.url, standIn.settings)
  await fillInstallations(servers[0]!.url, database, provider, devices)

  const load = loadavg()[0]!
  const began = performance.now()
  const id = await push(servers[0]!.url, {})
  const killedAt: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    const moment = Math.floor(((kill + 0.5) / kills) * devices) + randomInt(Math.ceil(devices / kills / 4))
    while ((await standIn.devices()) < moment) await sleep(INTERVAL)
    const victim = kill % servers.length
    process.kill(servers[victim]!.pid, 'SIGKILL')
    killedAt.push(await standIn.devices())
    process.stderr.write(`crash: killed a server at ${killedAt.at(-1)} of ${devices} devices\n`)
    servers[victim] = await start(homes[victim]!)
  }
  const record = await untilDone(database, id)
  const elapsed = performance.now() - began
  return { devices, kills, killedAt, elapsed, record, counts: await standIn.counts(), load }
}
