import type { Bus } from '../../bus/bus.ts'
import { NodeChannel } from '../../bus/node-channel.ts'
import type { Log } from '../../log.ts'
import type { DeviceMessage } from '../device-message.ts'

/** A device whose push connection is on this node. */
export interface OnlineDevice {
  readonly installationId: string
  /** Sends a message that was just stored. */
  deliver(message: DeviceMessage): void
  /** Sends stored messages, because the device may have missed some. */
  catchUp(): void
  /** Called when the installation has logged in elsewhere: this connection receives nothing more. */
  displace(): void
}

export interface OnlineDevicesOptions {
  readonly appId: string
  readonly bus: Bus
  /** Whether this is the only node. */
  readonly alone: boolean
  readonly log: Log
}

interface Connection {
  readonly device: OnlineDevice
  /** The number of its login; null until it is known. */
  login: number | null
  /** The latest login on another node that was reported while `login` was null. */
  otherLogin: number
}

interface Delivery {
  readonly message: DeviceMessage
  readonly to: readonly string[]
}

interface Login {
  readonly installationId: string
  readonly login: number
}

/** Reports that events may have been lost, so devices must read their stored messages. */
interface Missed {
  readonly missed: true
}

type NodeMessage = Delivery | Login | Missed

/**
 * The devices of one app that are connected to this node, and delivery to devices on other nodes. An installation has one
 * connection: that of its latest login on any node.
 */
export class OnlineDevices {
  readonly #bus: Bus
  readonly #connections = new Map<string, Connection>()
  readonly #channel: NodeChannel<NodeMessage>
  readonly #endGaps: () => void
  /** Whether publishing to other nodes has failed. */
  #hasFailed = false

  constructor({ appId, bus, alone, log }: OnlineDevicesOptions) {
    this.#bus = bus
    this.#channel = new NodeChannel({
      bus,
      topic: `push ${appId}`,
      alone,
      onMessage: (message) => this.#onMessage(message),
      failed: () => {
        this.#hasFailed = true
      },
      log,
    })
    this.#endGaps = bus.onGap(() => this.#endGap())
  }

  /** Number of devices connected to this node. */
  get size(): number {
    return this.#connections.size
  }

  /** Adds a device. An earlier connection of the installation on this node is displaced. */
  add(device: OnlineDevice): void {
    const before = this.#connections.get(device.installationId)
    this.#connections.set(device.installationId, { device, login: null, otherLogin: 0 })
    before?.device.displace()
  }

  /** Sets the login number of a device. Only the latest login of an installation remains. */
  loggedIn(device: OnlineDevice, login: number): void {
    const { installationId } = device
    const connection = this.#connections.get(installationId)
    if (connection?.device !== device) return
    connection.login = login
    if (connection.otherLogin > login) this.#displace(connection)
    else this.#channel.publish({ installationId, login })
  }

  remove(device: OnlineDevice): void {
    if (this.#connections.get(device.installationId)?.device === device) this.#connections.delete(device.installationId)
  }

  /** Delivers a stored message to those of the devices that are connected, on all nodes. */
  deliver(message: DeviceMessage, to: readonly string[]): void {
    this.#pass(message, to)
    this.#channel.publish({ message, to })
  }

  stop(): void {
    this.#channel.stop()
    this.#endGaps()
  }

  #onMessage(message: NodeMessage): void {
    if ('missed' in message) this.#catchUp()
    else if ('message' in message) this.#pass(message.message, message.to)
    else this.#applyLogin(message)
  }

  #pass(message: DeviceMessage, to: readonly string[]): void {
    for (const installationId of to) this.#connections.get(installationId)?.device.deliver(message)
  }

  #applyLogin({ installationId, login }: Login): void {
    const connection = this.#connections.get(installationId)
    if (!connection) return
    if (connection.login === null) connection.otherLogin = Math.max(connection.otherLogin, login)
    else if (login > connection.login) this.#displace(connection)
  }

  #displace({ device }: Connection): void {
    this.remove(device)
    device.displace()
  }

  /** Messages are stored before they are delivered, so devices find in the database what the bus has lost. */
  #endGap(): void {
    if (!this.#bus.connected) return
    this.#catchUp()
    if (!this.#hasFailed) return
    this.#hasFailed = false
    this.#channel.publish({ missed: true })
  }

  #catchUp(): void {
    for (const { device } of [...this.#connections.values()]) device.catchUp()
  }
}
