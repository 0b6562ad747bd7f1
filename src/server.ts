import { type AddressInfo, isIPv6 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { Passwords } from './accounts/passwords.ts'
import { userForHooks } from './accounts/user-for-hooks.ts'
import { adminToken } from './admin-token.ts'
import { makeFirstOwner } from './administrators/first-owner.ts'
import type { EntryLink } from './administrators/links.ts'
import { AdministratorLogin } from './administrators/login.ts'
import { openCrashRecord } from './alerts/crash-record.ts'
import { byteEndpoints, endpoints } from './api/endpoints.ts'
import { createHttpServer } from './api/http/create-http-server.ts'
import { openSecurePorts } from './api/http/secure-ports.ts'
import type { Server } from './api/server-context.ts'
import { type AppRecord, Apps } from './apps/apps.ts'
import type { Config } from './config.ts'
import { nodeCounts } from './counts.ts'
import { openDataDirectory } from './data-directory.ts'
import { migrateDatabase } from './database/migrate.ts'
import { checkSessions } from './database/session-mode.ts'
import { whenStarted } from './database/starting.ts'
import { DiskReserve } from './disk-reserve.ts'
import { Doctor } from './doctor/doctor.ts'
import { Exports } from './export/exports.ts'
import { openBlobs } from './files/blobs/open-blobs.ts'
import { Pictures } from './files/pictures/pictures.ts'
import { NodeHealth } from './health-history/node-health.ts'
import { handleAfterHooks } from './hooks/class-hooks.ts'
import { startSchedules } from './hooks/schedules.ts'
import { runTasks } from './hooks/task-queue-runs.ts'
import { allowPrivateAddresses } from './http-client/reachable-address.ts'
import { GrowingTables } from './import/write/growing-tables.ts'
import { ImportPace } from './import/write/import-pace.ts'
import { BatchOrder } from './import/write/in-order.ts'
import { ReadingThreads } from './import/write/reading-threads.ts'
import { RecentConflicts } from './import/write/recent-conflicts.ts'
import { Jobs } from './jobs/jobs.ts'
import { changeLeaderboards } from './leaderboards/leaderboard-jobs.ts'
import { Capacity } from './limits/capacity.ts'
import { CapacityShares } from './limits/capacity-shares.ts'
import { Connections, roomForConnections } from './limits/connections.ts'
import { Limiters } from './limits/limiters.ts'
import { createLog, type Log, standardError } from './log.ts'
import { LogTail } from './log-tail.ts'
import { createMailer } from './mail/mailer.ts'
import { sendWills } from './messaging/messages/wills.ts'
import { callSystemWebHooks } from './messaging/system-web-hook.ts'
import { Moves } from './moves/moves.ts'
import { isInRanges, trustProxies } from './proxies.ts'
import { sendPushes } from './push/delivery/push-jobs.ts'
import { makeUpForOutages } from './realtime/outages.ts'
import { type ReservedPort, reservePort } from './reserved-port.ts'
import { openNodeQueues } from './running-app/node-queues.ts'
import { RunningApps } from './running-app/running-app.ts'
import { ClientsServed } from './scheduling/clients-served.ts'
import { forEachInParallel } from './scheduling/in-parallel.ts'
import { removeLeftovers } from './search/server/leftovers.ts'
import { SearchServer } from './search/server/search-server.ts'
import { createRealtime } from './server/create-realtime.ts'
import { followOtherNodes } from './server/follow-other-nodes.ts'
import { openMonitoring } from './server/monitoring.ts'
import { openBackups } from './server/open-backups.ts'
import { openCertificateFiles, openManaged } from './server/open-certificates.ts'
import { connect, openDatabase } from './server/open-database.ts'
import { unprovedLimiters } from './server/unproved-limiters.ts'
import { warnOfFewOpenFiles } from './server/warn-of-few-open-files.ts'
import { sharedParts } from './shared-parts.ts'
import { forgetUsers } from './social/friendship/forget-user.ts'
import { deliverStatuses } from './social/statuses/fan-out.ts'
import type { Tls } from './tls/tls.ts'
import { startTracing } from './tracing/start-tracing.ts'
import { VERSION } from './version.ts'

/** The running program. */
export interface RunningServer {
  /** Its URL, with the actual port. */
  readonly url: string
  /** The app that this start created because there was none. */
  readonly firstApp: AppRecord | null
  /** The login link of the first administrator, whom this start created because there was none. */
  readonly firstLink: EntryLink | null
  /**
   * Reports in `/health` that the server stops, and continues to serve for the shutdown delay, which a second call ends. Then it
   * accepts no more requests, finishes running ones, and stops all parts in reverse order.
   */
  stop(): Promise<void>
}

type Step = () => Promise<void> | void

/** Apps that are opened at once: each uses a connection of its own for a moment, and the database has a limited number. */
const OPENED_AT_ONCE = 8

/** Maximum milliseconds that a start waits for missing certificates, so that its URL works once it is printed. */
const FIRST_CERTIFICATE_TIMEOUT_MS = 30_000

/** Builds the running program from its parts, in order. If one part fails, those started before are stopped. */
export async function startServer(config: Config): Promise<RunningServer> {
  const stops: Step[] = []
  const stop = async () => {
    for (const step of stops.splice(0).reverse()) await step()
  }
  const leaving = new AbortController()
  const hurrying = new AbortController()
  let stopped: Promise<void> | undefined
  const leave = async () => {
    leaving.abort()
    await sleep(config.shutdownDelay, null, { signal: hurrying.signal }).catch(() => {})
    await stop()
  }
  try {
    const running = await start(config, stops, () => leaving.signal.aborted)
    return {
      ...running,
      stop() {
        if (stopped) hurrying.abort()
        stopped ??= leave()
        return stopped
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(config: Config, stops: Step[], isStopping: () => boolean): Promise<Omit<RunningServer, 'stop'>> {
  allowPrivateAddresses(config.allowPrivateAddresses)
  const logTail = new LogTail()
  const log = createLog(config.logLevel, logTail.before(standardError()))
  const stopTracing = await startTracing(process.env, VERSION, log.child({ component: 'tracing' }))
  stops.push(stopTracing)
  warnOfFewOpenFiles(log)
  const directory = openDataDirectory(config.data)
  stops.push(() => directory.release())
  const reserved: ReservedPort[] = []
  const releasePorts = async () => {
    for (const port of reserved.splice(0)) await port.release()
  }
  const crashRecord = openCrashRecord(directory.path)
  stops.push(() => crashRecord.end())
  stops.push(releasePorts)
  // A port that the system selects when the server listens is always free.
  if (config.port !== 0)
    reserved.push(await reservePort(config.port, config.host, { flag: '--port', isTls: config.isTls }))
  if (config.httpPort)
    reserved.push(await reservePort(config.httpPort, config.host, { flag: '--http-port', isTls: false }))
  const tlsLog = log.child({ component: 'tls' })
  const files = await openCertificateFiles(config, tlsLog)
  stops.push(() => files?.stop())
  const logFiles = logTail.keepIn(directory.logs)
  stops.push(() => logFiles.close())
  const connection = await connect(config, directory, log.child({ component: 'postgres' }), stops)
  const databaseLog = log.child({ component: 'database' })
  const database = openDatabase(config, connection.settings, databaseLog)
  stops.push(() => database.close())
  if (config.databaseUrl) await whenStarted(() => checkSessions(() => database.dedicated('usual')), databaseLog)
  await migrateDatabase(database)
  const managed = config.isTls && !files ? await openManaged(config, database, directory.path, tlsLog) : null
  const tls: Tls | null = files
    ? { certificates: files, responses: null, isStrict: false }
    : managed && { ...managed, isStrict: true }
  const certificates = () => tls?.certificates.status() ?? []

  const apps = new Apps(database, [config.publicUrl, config.filesPublicUrl])
  await apps.reload()
  const firstApp = await ensureApp(apps, config)
  const firstLink = await makeFirstOwner(database)
  const { bus, clients, counts } = await sharedParts(config, database, log)
  await bus.start()
  stops.push(() => bus.stop())
  await clients.start()
  stops.push(() => clients.stop())
  await counts?.start()
  stops.push(() => counts?.stop())
  const reserve = new DiskReserve({ size: config.diskReserve, log: log.child({ component: 'files' }) })
  let picturesWaiting = () => 0
  const capacity = new Capacity({
    waiting: () => database.waiting,
    picturesWaiting: () => picturesWaiting(),
    isDiskShort: () => reserve.isScarce,
  })
  stops.push(() => capacity.stop())
  const limiters = new Limiters(counts, undefined, new CapacityShares(capacity))
  const passwords = new Passwords()
  stops.push(() => passwords.stop())
  const counted = nodeCounts()
  const jobs = new Jobs(database, log, { counts: counted.jobRuns })
  const mailer = createMailer({ smtpUrl: config.smtpUrl, outbox: directory.outbox, jobs, counts: counted.mails, log })
  const blobs = await openBlobs(config, log.child({ component: 'files' }), reserve)
  const pictures = new Pictures({
    directory: directory.pictures,
    reserve,
    onFault: (error) =>
      log.child({ component: 'pictures' }).warn({ error }, 'a picture was made and could not be kept'),
  })
  picturesWaiting = () => pictures.waiting
  stops.push(() => pictures.close())
  const searchServer = searchServerOf(config, log.child({ component: 'search' }))
  if (searchServer) stops.push(removeLeftovers(searchServer, database, log.child({ component: 'search' })))
  // A default for the time before it listens, in which there are no requests.
  let ownUrl = () => config.publicUrl ?? `http://localhost:${config.port}`
  const running = new RunningApps({
    database,
    apps,
    bus,
    directory: clients,
    alone: !config.redisUrl && !config.databaseUrl,
    jobs,
    passwords,
    limiters,
    mailer,
    blobs,
    pictures,
    searchServer,
    baseUrl: () => ownUrl(),
    filesPublicUrl: config.filesPublicUrl,
    outbox: directory.outbox,
    queues: openNodeQueues(),
    counts: counted,
    log,
  })
  stops.push(() => running.stop())

  handleAfterHooks(jobs, async (appId) => {
    const app = await running.open(appId)
    return app && { engine: app.engine, userOf: (userId) => userForHooks(app.accounts, userId) }
  })
  sendPushes(jobs, async (appId) => (await running.open(appId))?.push)
  deliverStatuses(jobs, async (appId) => (await running.open(appId))?.statuses)
  sendWills(jobs, async (appId) => (await running.open(appId))?.messaging)
  changeLeaderboards(jobs, async (appId) => (await running.open(appId))?.leaderboards)
  callSystemWebHooks(jobs, async (appId) => (await apps.find(appId))?.settings.messaging)
  forgetUsers(jobs, async (appId) => (await running.open(appId))?.friendship)
  runTasks(jobs, async (appId) => (await running.open(appId))?.taskQueue)
  const clientsServed = new ClientsServed()
  const threads = new ReadingThreads({ log: log.child({ component: 'import' }) })
  stops.push(() => threads.stop())
  const token = adminToken(directory.path, config.adminToken ?? undefined)
  const moves = new Moves({
    database,
    jobs,
    directory: directory.moves,
    reserve,
    node: directory.id,
    url: () => localUrl(),
    adminToken: token,
    allowed: config.allowPrivateAddresses,
    log: log.child({ component: 'moves' }),
  })
  stops.push(() => moves.stop())
  const exports = new Exports({ database, running, jobs, mailer, directory: directory.exports, reserve })
  const backups = openBackups(config, directory, connection.settings, reserve, log.child({ component: 'backup' }))
  const redisConnected = () => (config.redisUrl ? bus.connected && clients.connected : null)
  const { metrics, alerts } = openMonitoring({
    config,
    directory,
    database,
    jobs,
    mailer,
    apps,
    running,
    counts: counted,
    reserve,
    backups,
    crashRecord,
    postgresRestarts: connection.restarts,
    redisConnected,
    certificates,
    health: () => health,
    realtimeConnections: () => realtime.server.connections,
    baseUrl: () => ownUrl(),
    log,
  })
  await jobs.start()
  stops.push(() => jobs.stop())
  await backups.start()
  stops.push(() => backups.stop())

  const asSent = trustProxies(config.trustedProxies, config.namesProxies)
  const connections = new Connections(
    { ofOneAddress: config.connectionsPerAddress ?? null, room: roomForConnections(config.isTls) },
    (address) => isInRanges(config.trustedProxies, address),
  )
  const health: NodeHealth = new NodeHealth({
    database,
    directory: directory.path,
    port: () => (http.server.address() as AddressInfo).port,
    counted: () => metrics.requests.counted(),
    websockets: () => realtime.server.connections,
    sockets: () => promisify(http.server.getConnections.bind(http.server))(),
    log: log.child({ component: 'health' }),
  })
  const context: Server = {
    apps,
    running,
    database,
    directory: clients,
    redisConnected,
    exports,
    backups,
    imports: {
      threads,
      pace: new ImportPace(clientsServed),
      order: new BatchOrder(),
      recentConflicts: new RecentConflicts(),
      growing: new GrowingTables(),
    },
    clientsServed,
    moves,
    blobs,
    metrics,
    alerts,
    health,
    doctor: new Doctor({ config, database, apps, localUrl: () => localUrl() }),
    logTail,
    isStopping,
    log: log.child({ component: 'http' }),
    administratorLogin: new AdministratorLogin(database, passwords, limiters),
    adminToken: token,
    adminAddresses: config.adminAddresses,
    metricsToken: config.metricsToken,
    metricsAddresses: config.metricsAddresses,
    connections,
    tls,
    ...unprovedLimiters(config, limiters),
    publicUrl: config.publicUrl,
    filesPublicUrl: config.filesPublicUrl,
    asSent,
    localUrl: () => localUrl(),
  }
  const http = await createHttpServer(context, endpoints, byteEndpoints)
  let localUrl = () => urlOf(config.host, http)
  ownUrl = () => config.publicUrl ?? localUrl()
  const realtime = createRealtime({ apps, running, directory: clients, clientsServed, asSent, connections, log })
  realtime.server.attach(http.server)
  await releasePorts()
  await http.listen({ port: config.port, host: config.host })
  const secure =
    tls &&
    (await openSecurePorts({
      server: http.server,
      context,
      names: config.domain,
      host: config.host,
      httpPort: config.httpPort,
    }))
  if (secure) {
    localUrl = () => secure.localUrl
    stops.push(() => secure.stop())
  }
  stops.push(() => http.close())
  stops.push(() => realtime.stop())
  health.start()
  stops.push(() => health.stop())
  alerts.start()
  stops.push(() => alerts.stop())

  stops.push(
    startSchedules({
      apps: () => apps.all().map(({ id, settings }) => ({ id, settings: settings.engine.schedules })),
      open: (appId) => running.open(appId),
      log,
    }),
  )
  const messagings = () => running.all().map(({ messaging }) => messaging)
  stops.push(makeUpForOutages({ bus, directory: clients, apps: messagings, log }))
  if (config.databaseUrl) stops.push(followOtherNodes(apps, running, bus, log.child({ component: 'apps' })))

  const url = secure?.url ?? localUrl()
  directory.announce(localUrl())
  log.info({ version: VERSION, url, pid: process.pid }, 'server started')
  await forEachInParallel(apps.all(), OPENED_AT_ONCE, async ({ id }) => void (await running.open(id)))
  if (managed) {
    stops.push(() => managed.certificates.stop())
    const ordered = managed.certificates.start()
    await Promise.race([ordered, sleep(FIRST_CERTIFICATE_TIMEOUT_MS, null, { ref: false })])
  }
  return { url, firstApp, firstLink }
}

function urlOf(host: string, http: FastifyInstance): string {
  const { port } = http.server.address() as AddressInfo
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}

/** Returns the search server, or null if the search index is in the database. */
function searchServerOf({ searchUrl, queryTimeout }: Config, log: Log): SearchServer | null {
  return searchUrl === null ? null : new SearchServer({ url: searchUrl, timeout: queryTimeout, log })
}

/** Ensures that the configured app exists, or creates the first app on the very first start. */
async function ensureApp(apps: Apps, config: Config): Promise<AppRecord | null> {
  if (config.app) {
    await apps.ensure(config.app.id, config.app)
    return null
  }
  return apps.createFirst('first')
}
