import type { Directory } from '../bus/directory.ts'
import { errors } from '../errors.ts'
import type { LiveQueries } from '../live-query/live-queries.ts'
import type { SubscriberApps } from '../live-query/subscriber-apps.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import { ClientsServed } from '../scheduling/clients-served.ts'
import { type App, Clients } from './clients.ts'
import type { Descriptor } from './commands/command.ts'
import { descriptorOf, isAnswered } from './commands/table.ts'
import type { Connection } from './connection.ts'
import { EarlyCommands, type EarlyLogin } from './early-commands.ts'
import { LiveQueryLogins } from './live-query-logins.ts'
import { LoginQueue } from './login-queue.ts'
import { CommandOrder, countCommand, countDeliveries, type Notified } from './rates.ts'
import { refusalOf } from './refusals.ts'
import type { Answer, Session } from './session.ts'
import { hasNul, withStorableContents } from './texts.ts'

export interface DispatchOptions {
  readonly running: Apps
  readonly directory: Directory
  /** Returns whether an app lets pages of a web origin log in; allows all pages by default. */
  readonly allowsPage?: (appId: string, webOrigin: string) => boolean
  /** The queue of logins. */
  readonly logins?: LoginQueue
  /** Counts each command. */
  readonly clientsServed?: Pick<ClientsServed, 'note'>
}

/** The running apps; see running-app/running-app.ts. */
interface Apps {
  opened(id: string): ServedApp | undefined
  open(id: string): Promise<ServedApp | undefined>
  /** Finds the apps of live query clients that do not name theirs. Without it such clients are rejected. */
  readonly subscriberApps?: SubscriberApps
}

interface ServedApp extends App {
  readonly liveQueries: LiveQueries
}

/** The clients that are logged in on a connection. */
interface Bound {
  readonly clients: Clients
  readonly liveQueries: LiveQueryLogins
  /** Commands are counted before they begin, and begin in their order. */
  readonly order: CommandOrder
}

/** Hands the commands of connections to their handlers, and sends the responses. */
export class Dispatch {
  readonly #running: Apps
  readonly #directory: Directory
  readonly #allowsPage: (appId: string, webOrigin: string) => boolean
  readonly #logins: LoginQueue
  readonly #served: Pick<ClientsServed, 'note'>
  readonly #bound = new WeakMap<Connection, Bound>()
  readonly #ends = new Set<Promise<void>>()
  #isStopping = false

  constructor({
    running,
    directory,
    allowsPage = () => true,
    logins = new LoginQueue(),
    clientsServed = new ClientsServed(),
  }: DispatchOptions) {
    this.#running = running
    this.#directory = directory
    this.#allowsPage = allowsPage
    this.#logins = logins
    this.#served = clientsServed
  }

  /** Serves a new connection. */
  serve(connection: Connection): void {
    let binding: Promise<Bound | null> | undefined
    let bound: Bound | null = null
    let early: EarlyCommands | undefined
    const bind = () => {
      binding ??= this.#bind(connection, early).finally(() => {
        binding = undefined
      })
      return binding
    }
    const found = async (appId: string) => {
      connection.belongTo(appId)
      bound ??= await bind()
    }
    connection.onCommand(async (command) => {
      this.#served.note()
      const descriptor = descriptorOf(command)
      if (connection.appId === null && connection.appOfUrl !== null && descriptor.logsIn) {
        connection.belongTo(connection.appOfUrl)
      }
      if (connection.appId === null) {
        early ??= new EarlyCommands(connection, this.#running.subscriberApps, found)
        return descriptor.early ? descriptor.early(early, command) : early.refuse(command)
      }
      // Commands begin in order: those that arrive before the first has begun wait with it.
      bound ??= await bind()
      const app = bound?.clients.app
      if (!bound || !app || this.#running.opened(app.id) !== app) return connection.close(4100, 'APP_NOT_AVAILABLE')
      await perform(bound, connection, command, descriptor)
    }, isAnswered)
    connection.onClose((code) => {
      early?.end()
      this.#end(connection, code)
    })
  }

  /** Returns a client that is online on a connection, for notifications about the connection as a whole. */
  peerIdOf(connection: Connection): string | undefined {
    return this.#bound.get(connection)?.clients.find(undefined)?.clientId
  }

  /** Marks connections that end from now on as moved instead of lost. */
  beginStop(): void {
    this.#isStopping = true
  }

  /** Resolves when all cleanup of ended connections is complete. */
  async stop(): Promise<void> {
    await Promise.all(this.#ends)
  }

  /**
   * Binds a connection to the app of its first command that names one (protocol/realtime, Connection life cycle), or to that of a
   * live query client that has logged in on it.
   * @param early the commands before it
   * @returns null when the app does not exist, or does not let the page log in
   */
  async #bind(connection: Connection, early: EarlyCommands | undefined): Promise<Bound | null> {
    const { appId } = connection
    const app = appId === null ? undefined : (this.#running.opened(appId) ?? (await this.#running.open(appId)))
    if (!app) return null
    if (connection.webOrigin !== undefined && !this.#allowsPage(app.id, connection.webOrigin)) {
      // Clients do not reconnect after this code.
      connection.close(4110, 'INVALID_ORIGIN')
      return null
    }
    const clients = new Clients(connection, app, this.#directory, this.#logins)
    const liveQueries = new LiveQueryLogins(connection, app.liveQueries)
    const bound = { clients, liveQueries, order: new CommandOrder() }
    this.#bound.set(connection, bound)
    const subscribers = early?.take() ?? new Map<string, EarlyLogin>()
    if (subscribers.size > 0) clients.noteLiveQueryLogin()
    try {
      await Promise.all([...subscribers].map(([id, { answer, number }]) => liveQueries.logIn(id, answer, number)))
    } catch (error) {
      // They may have their responses already: only a new connection shows them that they are not logged in.
      connection.close(4200, 'INTERNAL_ERROR')
      throw error
    }
    return bound
  }

  #end(connection: Connection, code: number): void {
    const bound = this.#bound.get(connection)
    if (!bound) return
    const ending = this.#isStopping ? ({ kind: 'moved' } as const) : ({ kind: 'lost', code } as const)
    const end = Promise.all([bound.clients.endAll(ending), bound.liveQueries.end()]).then(
      () => {},
      // The database may be unavailable, or the app deleted with its tables.
      (error) => {
        connection.log.error({ app: connection.appId, error }, 'cleanup after disconnected client failed')
      },
    )
    this.#ends.add(end)
    void end.finally(() => this.#ends.delete(end))
  }
}

/** Performs a command and responds. @throws unexpected errors, for which the connection responds */
async function perform(
  bound: Bound,
  connection: Connection,
  received: GenericCommand,
  descriptor: Descriptor,
): Promise<void> {
  const { clients, order } = bound
  try {
    const known = clients.find(received.peerId)
    const counted = order.next(countIn(clients, connection, received, descriptor, known))
    if (counted) await counted
    if (!descriptor.needsSession)
      return await descriptor.handler(bound, received, (answer, peerId) => reply(connection, received, answer, peerId))
    if (descriptor.withoutSession?.(clients, received)) return
    if (!received.peerId) clients.noteOmittedId()
    const session = clients.find(received.peerId) ?? (await clients.findOpening(received.peerId))
    if (!session) throw messagingErrors.sessionRequired()
    // While its client was logging in, the command was counted by its address only.
    if (!known) await countFor(session, received, descriptor)
    const command = withStorableContents(received)
    if (hasNul(command)) throw errors.malformedJson('Ids and JSON strings must not contain NUL characters.')
    const answer = await descriptor.handler(session, command, clients)
    if (answer) reply(connection, received, answer, session.clientId)
  } catch (error) {
    // A client that could not log in must not be mistaken for another one of the connection.
    const clientId = descriptor.logsIn === 'client' ? undefined : clients.find(undefined)?.clientId
    refuse(connection, received, descriptor, error, clientId)
  }
}

/** Counts a command before it begins: by its address, and by its client if it is logged in. */
function countIn(
  { app }: Clients,
  { remoteAddress }: Connection,
  command: GenericCommand,
  { rate, notifies, times }: Descriptor,
  session: Session | undefined,
): Promise<void> | void {
  if (!rate) return
  const counted = countCommand(app.messaging, rate, session?.clientId ?? null, remoteAddress, times?.(command))
  return session && notifies ? both(counted, countNotified(session, notifies(command))) : counted
}

/** Counts a command by its client, once that is known. */
function countFor(
  session: Session,
  command: GenericCommand,
  { rate, notifies, times }: Descriptor,
): Promise<void> | void {
  if (!rate) return
  const counted = countCommand(session.messaging, rate, session.clientId, null, times?.(command))
  return notifies ? both(counted, countNotified(session, notifies(command))) : counted
}

function countNotified({ messaging, clientId, connection }: Session, notified: Notified): Promise<void> | void {
  return countDeliveries(messaging, notified, { address: connection.remoteAddress, userId: clientId })
}

function both(one: Promise<void> | void, other: Promise<void> | void): Promise<void> | void {
  return one && other ? Promise.all([one, other]).then(() => {}) : (one ?? other)
}

/** Sends a response with the number of its request, if it had one (protocol/realtime, What every server command must carry). */
function reply(connection: Connection, { i }: GenericCommand, answer: Answer, peerId: string | undefined): void {
  connection.send({ ...answer, i, peerId })
}

/**
 * Rejects a command with an error of its `service`, where clients for Java expect it.
 * @param clientId the client of a command that names none
 */
function refuse(
  connection: Connection,
  command: GenericCommand,
  { answered, refusal }: Descriptor,
  error: unknown,
  clientId: string | undefined,
): void {
  const refused = refusalOf(command, error, refusal)
  if (!refused) throw error
  if (answered) reply(connection, command, { ...refused, service: command.service }, command.peerId ?? clientId)
}
