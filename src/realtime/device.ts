import { chunks } from '../bus/chunks.ts'
import type { Log } from '../log.ts'
import type { Devices } from '../push/built-in-channel/built-in-channel.ts'
import type { OnlineDevice } from '../push/built-in-channel/online-devices.ts'
import { PENDING_PAGE } from '../push/built-in-channel/pending-messages.ts'
import type { DeviceMessage } from '../push/device-message.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import { SharedCommand } from '../realtime-protocol/shared-command.ts'
import type { Connection } from './connection.ts'

/** `service` of commands on push connections (protocol/realtime, GenericCommand). */
export const PUSH = 0

/** Maximum number of messages in one command. */
const MESSAGES_AT_ONCE = 10

export interface DeviceOptions {
  readonly connection: Pick<Connection, 'send' | 'sendShared' | 'close'>
  readonly devices: {
    readonly online: Devices['online']
    readonly messages: Pick<Devices['messages'], 'oldest' | 'acknowledge'>
    readonly noteLogin: Devices['noteLogin']
  }
  readonly installationId: string
  /** Called when the installation has logged in again elsewhere. */
  readonly displaced: (device: Device) => void
  readonly log: Log
}

/** A device that is logged in on a connection (protocol/realtime, Push connection (Android)). */
export class Device implements OnlineDevice {
  readonly installationId: string
  readonly #options: DeviceOptions
  /** The messages that the device must acknowledge before it is sent the next page. */
  readonly #page = new Set<string>()
  /** Messages that were pushed before the first page of missed messages, which may contain them again; null afterwards. */
  #early: Set<string> | null = new Set()
  #hasMore = false
  #isOnline = false
  /** Called when its login is recorded; null afterwards. */
  #onReady: (() => void) | null = null
  /** Operations in progress in the database. */
  readonly #work = new Set<Promise<unknown>>()

  constructor(options: DeviceOptions) {
    this.#options = options
    this.installationId = options.installationId
  }

  /**
   * Begins to deliver messages to the device, missed ones first.
   * @param onReady called when its login has its position among those of the installation, before any message is delivered; also
   *   when another login is later
   */
  begin(onReady: () => void): void {
    const { online, noteLogin } = this.#options.devices
    this.#isOnline = true
    this.#onReady = onReady
    online.add(this)
    this.#do(async () => {
      const login = await noteLogin(this.installationId)
      if (!this.#isOnline) return
      this.#note()
      online.loggedIn(this, login)
      await this.#deliverOldest()
    })
  }

  deliver(message: DeviceMessage): void {
    // The message is stored: until the login is recorded it is among the missed ones.
    if (this.#onReady || this.#page.has(message.id)) return
    this.#early?.add(message.id)
    this.#options.connection.sendShared(sharedDataOf(message), null)
  }

  catchUp(): void {
    this.#do(() => this.#deliverOldest())
  }

  /** Handles the acknowledgement of messages. */
  acknowledge(ids: readonly string[]): void {
    this.#do(async () => {
      await this.#options.devices.messages.acknowledge({ installationId: this.installationId, ids })
      for (const id of ids) this.#page.delete(id)
      if (this.#page.size > 0 || !this.#hasMore) return
      this.#hasMore = false
      await this.#deliverOldest()
    })
  }

  displace(): void {
    this.#note()
    this.#isOnline = false
    this.#options.displaced(this)
  }

  /** Stops all deliveries. Resolves when no operation is in progress. */
  async end(): Promise<void> {
    this.#isOnline = false
    this.#options.devices.online.remove(this)
    await Promise.all(this.#work)
  }

  /** Notifies the device that the installation has logged in elsewhere (protocol/realtime, Error codes, 4101). */
  endByLaterLogin(): void {
    const { connection, installationId } = this.#options
    const errorMessage = { code: 4101, reason: 'DUPLICATED_LOGIN' }
    connection.send({ cmd: 'error', service: PUSH, installationId, errorMessage })
  }

  #note(): void {
    this.#onReady?.()
    this.#onReady = null
  }

  /** Sends a page of missed messages, oldest first. Messages without an acknowledgement are sent again at the next login. */
  async #deliverOldest(): Promise<void> {
    const { connection, devices } = this.#options
    const oldest = await devices.messages.oldest(this.installationId)
    if (!this.#isOnline) return
    const page = oldest.filter(({ id }) => !this.#page.has(id) && !this.#early?.has(id))
    this.#early = null
    for (const { id } of page) this.#page.add(id)
    this.#hasMore = oldest.length === PENDING_PAGE
    for (const messages of chunks(page, MESSAGES_AT_ONCE)) connection.send(dataOf(messages))
  }

  /** Runs an operation. If it fails, the connection is closed, and the device gets its messages after reconnecting. */
  #do(work: () => Promise<void>): void {
    const { connection, log } = this.#options
    const done = work()
      .catch((error: Error) => {
        log.warn({ error: error.message }, 'device connection failed')
        connection.close(4200, 'INTERNAL_ERROR')
      })
      .finally(() => this.#work.delete(done))
    this.#work.add(done)
  }
}

const shared = new WeakMap<DeviceMessage, SharedCommand>()

/** Returns the command that delivers a message to devices. It is made once for all of them. */
function sharedDataOf(message: DeviceMessage): SharedCommand {
  const known = shared.get(message)
  if (known) return known
  const made = new SharedCommand(dataOf([message]))
  shared.set(message, made)
  return made
}

/**
 * Returns the command that delivers messages to a device (protocol/realtime, Push connection (Android)). It names its service,
 * because a client of messaging on the same connection would otherwise process it.
 */
function dataOf(messages: readonly DeviceMessage[]): GenericCommand {
  const dataMessage = { ids: messages.map(({ id }) => id), msg: messages.map(({ text }) => ({ data: text })) }
  return { cmd: 'data', service: PUSH, dataMessage }
}
