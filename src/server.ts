import type { IncomingMessage } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Passwords } from './accounts/passwords.ts'
import { userForHooks } from './accounts/user-for-hooks.ts'
import { adminToken } from './admin-token.ts'
import { endpoints } from './api/endpoints.ts'
import { createHttpServer } from './api/http.ts'
import { Metrics } from './api/metrics.ts'
import type { Server } from './api/server-context.ts'
import { type AppRecord, Apps } from './apps/apps.ts'
import { RunningApps } from './apps/running-app.ts'
import type { Bus } from './bus/bus.ts'
import type { Directory } from './bus/directory.ts'
import { localBus } from './bus/local-bus.ts'
import { localDirectory } from './bus/local-directory.ts'
import { postgresBus } from './bus/postgres-bus.ts'
import { redisBus } from './bus/redis-bus.ts'
import { RedisDirectory } from './bus/redis-directory.ts'
import type { Config } from './config.ts'
import { type DataDirectory, openDataDirectory } from './data-directory.ts'
import { startEmbeddedDatabase } from './database/embedded.ts'
import { migrateDatabase } from './database/migrate.ts'
import { type ConnectionSettings, Database } from './database/pool.ts'
import { Exports } from './export/exports.ts'
import { tellAfterHooks } from './hooks/class-hooks.ts'
import { startSchedules } from './hooks/schedules.ts'
import { runTasks } from './hooks/task-queue-runs.ts'
import { Jobs } from './jobs/jobs.ts'
import { createLog, type Log } from './log.ts'
import { createMailer } from './mail/mailer.ts'
import { sendWills } from './messaging/wills.ts'
import { type SentRequest, trustProxies } from './proxies.ts'
import { sendPushes } from './push/push-jobs.ts'
import { Dispatch } from './realtime/dispatch.ts'
import { makeUpForOutages } from './realtime/outages.ts'
import { RealtimeServer } from './realtime/realtime-server.ts'

/** The program at work. */
export interface RunningServer {
  /** Where it listens, with the port that was taken. */
  readonly url: string
  /** The app that this start made because there was none yet. */
  readonly firstApp: AppRecord | null
  /** Takes no more requests, finishes those that run, and stops every part in the reverse of the order they began. */
  stop(): Promise<void>
}

type Step = () => Promise<void> | void

/** Builds the running program from its parts, in order. When one part fails those before it are stopped again. */
export async function startServer(config: Config): Promise<RunningServer> {
  const stops: Step[] = []
  const stop = async () => {
    for (const step of stops.splice(0).reverse()) await step()
  }
  try {
    return { ...(await start(config, stops)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(config: Config, stops: Step[]): Promise<Omit<RunningServer, 'stop'>> {
  const log = createLog(config.logLevel)
  const directory = openDataDirectory(config.data)
  stops.push(() => directory.release())
  const connection = await connect(config, directory, log, stops)
  const database = new Database({
    connection,
    // Two thirds for reads and writes of single objects; the rest is for queries, the slow ones among them.
    maxConnections: Math.ceil((config.databaseConnections * 2) / 3),
    maxQueryConnections: Math.floor(config.databaseConnections / 3),
    statementTimeout: config.queryTimeout,
  })
  stops.push(() => database.close())
  await migrateDatabase(database)

  const apps = new Apps(database)
  await apps.reload()
  const firstApp = await ensureApp(apps, config)
  const bus = busOf(config, database, log)
  await bus.start()
  stops.push(() => bus.stop())
  const clients = config.redisUrl ? new RedisDirectory(config.redisUrl, log) : localDirectory()
  await clients.start()
  stops.push(() => clients.stop())
  const passwords = new Passwords()
  stops.push(() => passwords.stop())
  const jobs = new Jobs(database, log)
  const mailer = createMailer({ smtpUrl: config.smtpUrl, outbox: directory.outbox, jobs, log })
  const running = new RunningApps({
    database,
    apps,
    bus,
    directory: clients,
    alone: !config.redisUrl && !config.databaseUrl,
    jobs,
    passwords,
    mailer,
    outbox: directory.outbox,
    log,
  })
  stops.push(() => running.stop())

  tellAfterHooks(jobs, async (appId) => {
    const app = await running.open(appId)
    return app && { engine: app.engine, userOf: (userId) => userForHooks(app.accounts, userId) }
  })
  sendPushes(jobs, async (appId) => (await running.open(appId))?.push)
  sendWills(jobs, async (appId) => (await running.open(appId))?.messaging)
  runTasks(jobs, async (appId) => (await running.open(appId))?.taskQueue)
  const exports = new Exports({ database, running, jobs, mailer, directory: directory.exports })
  await jobs.start()
  stops.push(() => jobs.stop())

  const metrics = new Metrics({
    homeport_apps: { help: 'Apps of this installation.', read: () => apps.all().length },
    homeport_database_waiting: { help: 'Statements that wait for a connection.', read: () => database.waiting },
  })
  const asSent = trustProxies(config.trustedProxies)
  const context: Server = {
    apps,
    running,
    database,
    directory: clients,
    redisConnected: () => (config.redisUrl ? bus.connected && clients.connected : null),
    exports,
    metrics,
    log,
    adminToken: adminToken(directory.path, config.adminToken ?? undefined),
    publicUrl: config.publicUrl,
    asSent,
    localUrl: () => urlOf(config.host, http),
  }
  const http = await createHttpServer(context, endpoints)
  const realtime = createRealtime({ running, directory: clients, asSent, log })
  realtime.server.attach(http.server)
  await http.listen({ port: config.port, host: config.host })
  stops.push(() => http.close())
  stops.push(() => realtime.stop())

  stops.push(
    startSchedules({
      apps: () => apps.all().map(({ id, settings }) => ({ id, settings: settings.engine.schedules })),
      open: (appId) => running.open(appId),
      log,
    }),
  )
  const messagings = () => running.all().map(({ messaging }) => messaging)
  stops.push(makeUpForOutages({ bus, directory: clients, apps: messagings, log }))
  if (config.databaseUrl) stops.push(followOtherNodes(apps, running, log))

  const url = urlOf(config.host, http)
  directory.announce(url)
  await Promise.all(apps.all().map((app) => running.open(app.id)))
  return { url, firstApp }
}

interface RealtimeParts {
  readonly running: RunningApps
  readonly directory: Directory
  readonly asSent: (request: IncomingMessage) => SentRequest
  readonly log: Log
}

/** What clients reach by WebSocket, at any path of the HTTP server. */
function createRealtime({ running, directory, asSent, log }: RealtimeParts) {
  const dispatch = new Dispatch({ running, directory })
  const server = new RealtimeServer({
    log,
    addressOf: (request) => asSent(request).address,
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

function urlOf(host: string, http: FastifyInstance): string {
  const { port } = http.server.address() as AddressInfo
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}

/** How often a node looks for what other nodes on the same database have changed, in milliseconds. */
const FOLLOW_INTERVAL = 3_000

/** Learns of apps, keys, settings and classes that other nodes have changed. An embedded database has no other nodes. */
function followOtherNodes(apps: Apps, running: RunningApps, log: Log): Step {
  const timer = setInterval(() => {
    apps
      .reload()
      .then(() => running.refresh())
      .catch((error: Error) => log.debug({ error: error.message }, 'changes of other nodes could not be read'))
  }, FOLLOW_INTERVAL)
  return () => clearInterval(timer)
}

/** How the nodes hear of each other; without a database of their own there is only this one, unless Redis is named. */
function busOf({ redisUrl, databaseUrl }: Config, database: Database, log: Log): Bus {
  if (redisUrl) return redisBus(redisUrl, log)
  return databaseUrl ? postgresBus(database, log) : localBus()
}

async function connect(config: Config, directory: DataDirectory, log: Log, stops: Step[]): Promise<ConnectionSettings> {
  if (config.databaseUrl) return { connectionString: config.databaseUrl }
  const embedded = await startEmbeddedDatabase({ directory: directory.postgres, log })
  stops.push(() => embedded.stop())
  return { ...embedded.address }
}

/** The app that the configuration names, or on the very first start one of our making. */
async function ensureApp(apps: Apps, config: Config): Promise<AppRecord | null> {
  if (config.app) {
    await apps.ensure(config.app.id, config.app)
    return null
  }
  return apps.all().length === 0 ? apps.create('first', null) : null
}
