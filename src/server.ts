import type { IncomingMessage } from 'node:http'
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
import { Alerts } from './alerts/alerts.ts'
import {
  crashCondition,
  databaseDiskCondition,
  diskCondition,
  engineCondition,
  mailCondition,
  postgresCondition,
  pushCondition,
  redisCondition,
} from './alerts/conditions.ts'
import { openCrashRecord } from './alerts/crash-record.ts'
import { AlertDelivery } from './alerts/delivery.ts'
import { backupCondition, certificateCondition, walCondition } from './alerts/maintenance-conditions.ts'
import type { Webhook } from './alerts/webhook-format.ts'
import { byteEndpoints, endpoints } from './api/endpoints.ts'
import { createHttpServer } from './api/http/create-http-server.ts'
import { openSecurePorts } from './api/http/secure-ports.ts'
import { foreignOrigin } from './api/http/web-origin.ts'
import type { Server } from './api/server-context.ts'
import { type AppRecord, Apps, schemaOf } from './apps/apps.ts'
import { allowsOrigin } from './apps/web-origins.ts'
import { backedUpFiles, backupPassphraseOf, backupUrlOf } from './backup/backup-settings.ts'
import { Backups } from './backup/backups.ts'
import { walArchiveSettings } from './backup/wal/wal-archive.ts'
import type { Bus } from './bus/bus.ts'
import type { Directory } from './bus/directory.ts'
import type { Config } from './config.ts'
import { DEFAULT_UNPROVED_REQUESTS } from './config-options.ts'
import { nodeCounts } from './counts.ts'
import { type DataDirectory, openDataDirectory } from './data-directory.ts'
import { startEmbeddedDatabase } from './database/embedded/embedded-database.ts'
import { migrateDatabase } from './database/migrate.ts'
import { type ConnectionSettings, Database } from './database/pool.ts'
import { checkSessions } from './database/session-mode.ts'
import { whenStarted } from './database/starting.ts'
import { DiskReserve, diskSpace } from './disk-reserve.ts'
import { FEW_OPEN_FILES } from './doctor/checks/machine.ts'
import { Doctor } from './doctor/doctor.ts'
import { Exports } from './export/exports.ts'
import { openBlobs } from './files/blobs/open-blobs.ts'
import { Pictures } from './files/pictures/pictures.ts'
import { totalFileBytes } from './files/total-size.ts'
import { readDatabase } from './health-history/history-table.ts'
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
import { countJobs } from './jobs/shown-jobs.ts'
import { changeLeaderboards } from './leaderboards/leaderboard-jobs.ts'
import { Capacity } from './limits/capacity.ts'
import { CapacityShares } from './limits/capacity-shares.ts'
import { Connections, maxOpenFiles, roomForConnections } from './limits/connections.ts'
import { type Limiter, Limiters } from './limits/limiters.ts'
import { createLog, type Log, standardError } from './log.ts'
import { LogTail } from './log-tail.ts'
import { createMailer } from './mail/mailer.ts'
import { sendWills } from './messaging/messages/wills.ts'
import { callSystemWebHooks } from './messaging/system-web-hook.ts'
import { measured } from './metrics/measured.ts'
import { Metrics } from './metrics/metrics.ts'
import { serverMetrics } from './metrics/server-metrics.ts'
import { Moves } from './moves/moves.ts'
import { isInRanges, type SentRequest, trustProxies } from './proxies.ts'
import { sendPushes } from './push/delivery/push-jobs.ts'
import { Dispatch } from './realtime/dispatch.ts'
import { LoginQueue } from './realtime/login-queue.ts'
import { makeUpForOutages } from './realtime/outages.ts'
import { RealtimeServer } from './realtime/realtime-server.ts'
import { type ReservedPort, reservePort } from './reserved-port.ts'
import { openNodeQueues } from './running-app/node-queues.ts'
import { RunningApps } from './running-app/running-app.ts'
import { ClientsServed } from './scheduling/clients-served.ts'
import { removeLeftovers } from './search/server/leftovers.ts'
import { SearchServer } from './search/server/search-server.ts'
import { sharedParts } from './shared-parts.ts'
import { forgetUsers } from './social/friendship/forget-user.ts'
import { deliverStatuses } from './social/statuses/fan-out.ts'
import { CertificateFiles } from './tls/certificate-files.ts'
import type { CertificateStatus } from './tls/certificates.ts'
import { openManagedCertificates, type Tls } from './tls/tls.ts'
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
  const database = new Database({
    connection: connection.settings,
    // Two thirds for reads and writes of single objects; the rest for queries, including slow ones.
    maxConnections: Math.ceil((config.databaseConnections * 2) / 3),
    maxQueryConnections: Math.floor(config.databaseConnections / 3),
    statementTimeout: config.queryTimeout,
    ranked: !config.databaseUrl,
    diskFull(full) {
      if (full) databaseLog.error({}, 'the disk of the database is full: nothing can be stored')
      else databaseLog.info({}, 'the disk of the database has space again')
    },
  })
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
  const alertDelivery = new AlertDelivery({
    recipients: config.alertMail,
    webhook: config.alertWebhook === null ? null : alertWebhookOf(config, config.alertWebhook),
    language: config.alertLanguage,
    consoleUrl: () => `${ownUrl()}/console/health`,
    mailer,
    jobs,
  })
  await jobs.start()
  stops.push(() => jobs.stop())
  const backups = openBackups(config, directory, connection.settings, reserve, log.child({ component: 'backup' }))
  await backups.start()
  stops.push(() => backups.stop())

  const databaseFigures = measured(() => readDatabase(database), { maxAgeMs: MINUTE })
  const metrics: Metrics = new Metrics(
    serverMetrics({
      version: VERSION,
      counts: counted,
      apps: () => apps.all().length,
      httpConnections: async () => (await health.state()).httpConnections,
      realtimeConnections: () => realtime.server.connections,
      realtimeClients: () => running.all().reduce((sum, { messaging }) => sum + messaging.presence.clientsHere, 0),
      jobs: measured(() => countJobs(database), { maxAgeMs: MINUTE }),
      database: {
        waiting: () => database.waiting,
        isDiskFull: () => database.isDiskFull,
        size: async () => (await databaseFigures())?.databaseSize ?? null,
      },
      postgresRestarts: connection.restarts,
      redisConnected: () => context.redisConnected(),
      engines: () => enginesOf(running),
      disk: () => diskSpace(directory.path),
      diskReserve: (total) => reserve.of(total),
      fileBytes: measured(
        () =>
          totalFileBytes(
            database,
            apps.all().map(({ id }) => schemaOf(id)),
          ),
        { maxAgeMs: 6 * 60 * MINUTE },
      ),
      lastBackup: () => {
        const { lastSuccess } = backups.status()
        return lastSuccess && lastSuccess.at / 1000
      },
      certificates: () => certificates().flatMap(expiriesOf),
      alerts: () => alerts.current.map(({ id }) => id),
    }),
  )
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
  const alerts = new Alerts({
    database,
    conditions: [
      diskCondition(
        () => diskSpace(directory.path),
        (total) => reserve.of(total),
      ),
      databaseDiskCondition(() => database.isDiskFull),
      mailCondition(database),
      pushCondition(counted.pushDevices),
      engineCondition(() => running.all().flatMap(({ id, engine }) => (engine.isUp === false ? [id] : []))),
      redisCondition(() => context.redisConnected()),
      crashCondition(() => crashRecord.crashes),
      postgresCondition(connection.restarts),
      backupCondition(() => backups.status()),
      walCondition(() => backups.status()),
      certificateCondition(certificates),
    ],
    delivery: alertDelivery,
    node: () => health.name,
    log: log.child({ component: 'alerts' }),
  })
  const context: Server = {
    apps,
    running,
    database,
    directory: clients,
    redisConnected: () => (config.redisUrl ? bus.connected && clients.connected : null),
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
  await Promise.all(apps.all().map((app) => running.open(app.id)))
  if (managed) {
    stops.push(() => managed.certificates.stop())
    const ordered = managed.certificates.start()
    await Promise.race([ordered, sleep(FIRST_CERTIFICATE_TIMEOUT_MS, null, { ref: false })])
  }
  return { url, firstApp, firstLink }
}

/** Each client holds a connection, which is an open file. */
function warnOfFewOpenFiles(log: Log): void {
  const limit = maxOpenFiles()
  if (limit !== null && limit < FEW_OPEN_FILES) log.warn({ limit, recommended: 65_536 }, 'limit of open files is low')
}

/** Maximum milliseconds that a start waits for missing certificates, so that its URL works once it is printed. */
const FIRST_CERTIFICATE_TIMEOUT_MS = 30_000

/** Reads configured certificate files, so that a start with an invalid pair ends before anything is created. */
async function openCertificateFiles(config: Config, log: Log): Promise<CertificateFiles | null> {
  const { tlsCert: certFile, tlsKey: keyFile, domain: names } = config
  return certFile === null || keyFile === null ? null : CertificateFiles.open({ certFile, keyFile, names, log })
}

/** Opens the certificates that are ordered for `--domain`. An embedded database has no other nodes. */
function openManaged(config: Config, database: Database, data: string, log: Log) {
  const { domain: names, databaseUrl, httpPort, acmeKeyId: keyId, acmeHmacKey: hmacKey } = config
  return openManagedCertificates({
    names,
    acme: {
      directory: config.acmeDirectory,
      email: config.acmeEmail,
      externalAccount: keyId !== null && hmacKey !== null ? { keyId, hmacKey } : null,
      keyType: config.acmeKeyType,
    },
    hasHttpPort: httpPort !== null,
    shared: databaseUrl ? database : null,
    data,
    log,
  })
}

interface RealtimeParts {
  readonly apps: Apps
  readonly running: RunningApps
  readonly directory: Directory
  readonly clientsServed: ClientsServed
  readonly asSent: (request: IncomingMessage) => SentRequest
  readonly connections: Connections
  readonly log: Log
}

/** Creates the WebSocket server, which is reachable at any path of the HTTP server. */
function createRealtime({ apps, running, directory, clientsServed, asSent, connections, log }: RealtimeParts) {
  const logins = new LoginQueue()
  const dispatch = new Dispatch({
    running,
    directory,
    logins,
    clientsServed,
    allowsPage: (appId, webOrigin) => {
      const app = apps.known(appId)
      return app !== undefined && allowsOrigin(app.settings.security.webOrigins, webOrigin)
    },
  })
  const server = new RealtimeServer({
    log,
    logins,
    addressOf: (request) => asSent(request).address,
    admit: (request, socket) => connections.admit(socket, asSent(request).address),
    webOriginOf: (request) => foreignOrigin({ asSent }, request),
    allowsPage: (webOrigin) => apps.some(({ settings }) => allowsOrigin(settings.security.webOrigins, webOrigin)),
    onConnection: (connection) => dispatch.serve(connection),
    peerIdOf: (connection) => dispatch.peerIdOf(connection),
  })
  const stop = async () => {
    dispatch.beginStop()
    await server.stop()
    await dispatch.stop()
  }
  return { server, stop }
}

/**
 * Creates the limiters of unproved requests. Wrong keys are abuse at any load; requests that need no key only use capacity,
 * unless the operator has set a limit.
 */
function unprovedLimiters(
  { unprovedRequests: max }: Config,
  limiters: Limiters,
): { readonly wrongKeys: Limiter | null; readonly withoutKey: Limiter | null } {
  if (max === 0) return { wrongKeys: null, withoutKey: null }
  const text = `${max} requests without a key from one address in a second`
  const wrongKeys = limiters.make({ name: 'unproved', max, seconds: 1, text })
  const withoutKey =
    max === DEFAULT_UNPROVED_REQUESTS
      ? limiters.make({ name: 'withoutKey', max, seconds: 1, text, protects: 'processor', load: 1 / max })
      : wrongKeys
  return { wrongKeys, withoutKey }
}

function urlOf(host: string, http: FastifyInstance): string {
  const { port } = http.server.address() as AddressInfo
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}

function alertWebhookOf({ alertWebhookFormat: format, alertWebhookSecret: secret }: Config, url: string): Webhook {
  return { url, format, secret }
}

/** Returns the ends of validity of a certificate for its names, in seconds since 1970. */
function expiriesOf({ names, validUntil }: CertificateStatus) {
  return validUntil === null ? [] : names.map((domain) => ({ domain, expiresAt: validUntil.getTime() / 1000 }))
}

function enginesOf(running: RunningApps): { readonly up: number; readonly down: number } {
  const states = running.all().map(({ engine }) => engine.isUp)
  return { up: states.filter((isUp) => isUp === true).length, down: states.filter((isUp) => isUp === false).length }
}

/** Milliseconds between two checks for changes by other nodes on the same database. */
const FOLLOW_INTERVAL = 3_000

/** Milliseconds. */
const MINUTE = 60_000

/**
 * Picks up apps, keys, settings and classes that other nodes have changed, also without notification (`AppChangeChannel`). An embedded
 * database has no other nodes.
 */
function followOtherNodes(apps: Apps, running: RunningApps, bus: Bus, log: Log): Step {
  const look = () => {
    apps
      .reload()
      .then(() => running.refresh())
      .catch((error: Error) => log.debug({ error: error.message }, 'reading changes of other nodes failed'))
  }
  const timer = setInterval(look, FOLLOW_INTERVAL)
  // Events may have been missed during the gap.
  const stopListening = bus.onGap(look)
  return () => {
    clearInterval(timer)
    stopListening()
  }
}

/** Returns the search server, or null if the search index is in the database. */
function searchServerOf({ searchUrl, queryTimeout }: Config, log: Log): SearchServer | null {
  return searchUrl === null ? null : new SearchServer({ url: searchUrl, timeout: queryTimeout, log })
}

interface Connected {
  readonly settings: ConnectionSettings
  /** Returns how often the embedded PostgreSQL has ended unexpectedly; null for an external one. */
  readonly restarts: () => number | null
}

async function connect(config: Config, directory: DataDirectory, log: Log, stops: Step[]): Promise<Connected> {
  if (config.databaseUrl) return { settings: { connectionString: config.databaseUrl }, restarts: () => null }
  const walSettings = config.walArchive === 'on' ? walArchiveSettings() : {}
  const embedded = await startEmbeddedDatabase({ directory: directory.postgres, log, settings: walSettings })
  stops.push(() => embedded.stop())
  return { settings: { ...embedded.address }, restarts: () => embedded.restarts }
}

function openBackups(
  config: Config,
  directory: DataDirectory,
  connection: ConnectionSettings,
  reserve: DiskReserve,
  log: Log,
): Backups {
  return new Backups({
    source: {
      data: directory.path,
      installation: directory.id,
      database: config.databaseUrl === null ? { connection, directory: directory.postgres } : null,
      files: backedUpFiles(config),
    },
    url: backupUrlOf(config),
    passphrase: backupPassphraseOf(config),
    schedule: config.backupSchedule,
    retention: config.backupKeep,
    archivesWal: config.walArchive === 'on',
    reserve,
    log,
  })
}

/** Ensures that the configured app exists, or creates the first app on the very first start. */
async function ensureApp(apps: Apps, config: Config): Promise<AppRecord | null> {
  if (config.app) {
    await apps.ensure(config.app.id, config.app)
    return null
  }
  return apps.createFirst('first')
}
