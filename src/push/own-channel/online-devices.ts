import type { Bus } from '../../bus/bus.ts'
import { NodeChannel } from '../../bus/node-channel.ts'
import type { Log } from '../../log.ts'
import type { DeviceMessage } from '../device-message.ts'

/** A device whose push connection is on this node. */
export interface OnlineDevice {
  readonly installationId: string
  /** Tells a message that was just stored. */
  deliver(message: DeviceMessage): void
  /** Tells stored messages: it may have missed some. */
  catchUp(): void
  /** The installation has logged in again elsewhere: this device is told no more. */
  displace(): void
}

export interface OnlineDevicesOptions {
  readonly appId: string
  readonly bus: Bus
  /** There are no other nodes to tell. */
  readonly alone: boolean
  readonly log: Log
}

interface Place {
  readonly device: OnlineDevice
  /** The number of its login; null until it is known. */
  login: number | null
  /** The latest login on another node, if one was heard of before that. */
  elsewhere: number
}

interface Delivery {
  readonly message: DeviceMessage
  readonly to: readonly string[]
}

interface Login {
  readonly installationId: string
  readonly login: number
}

/** Other nodes were not told of some messages, so their devices have to look for them. */
interface Missed {
  readonly missed: true
}

type News = Delivery | Login | Missed

/**
 * The devices of one app that are connected to this node, and the way to those on other nodes. An installation has one
 * connection: that of its latest login, on whatever node.
 */
export class OnlineDevices {
  readonly #bus: Bus
  readonly #places = new Map<string, Place>()
  readonly #channel: NodeChannel<News>
  readonly #endGaps: () => void
  /** Other nodes have missed something that was said here. */
  #hasFailed = false

  constructor({ appId, bus, alone, log }: OnlineDevicesOptions) {
    this.#bus = bus
    this.#channel = new NodeChannel({
      bus,
      topic: `push ${appId}`,
      alone,
      heard: (news) => this.#hear(news),
      failed: () => {
        this.#hasFailed = true
      },
      log,
    })
    this.#endGaps = bus.onGap(() => this.#endGap())
  }

  /** How many devices are connected to this node. */
  get size(): number {
    return this.#places.size
  }

  /** From now on the device is told of messages; one that has logged in here before in its place is not. */
  add(device: OnlineDevice): void {
    const before = this.#places.get(device.installationId)
    this.#places.set(device.installationId, { device, login: null, elsewhere: 0 })
    before?.device.displace()
  }

  /** The login of a device has its number: of all logins of the installation the latest remains. */
  loggedIn(device: OnlineDevice, login: number): void {
    const { installationId } = device
    const place = this.#places.get(installationId)
    if (place?.device !== device) return
    place.login = login
    if (place.elsewhere > login) this.#displace(place)
    else this.#channel.publish({ installationId, login })
  }

  remove(device: OnlineDevice): void {
    if (this.#places.get(device.installationId)?.device === device) this.#places.delete(device.installationId)
  }

  /** Tells a stored message to those of the devices that are connected, on all nodes. */
  deliver(message: DeviceMessage, to: readonly string[]): void {
    this.#pass(message, to)
    this.#channel.publish({ message, to })
  }

  stop(): void {
    this.#channel.stop()
    this.#endGaps()
  }

  #hear(news: News): void {
    if ('missed' in news) this.#catchUp()
    else if ('message' in news) this.#pass(news.message, news.to)
    else this.#heedLogin(news)
  }

  #pass(message: DeviceMessage, to: readonly string[]): void {
    for (const installationId of to) this.#places.get(installationId)?.device.deliver(message)
  }

  #heedLogin({ installationId, login }: Login): void {
    const place = this.#places.get(installationId)
    if (!place) return
    if (place.login === null) place.elsewhere = Math.max(place.elsewhere, login)
    else if (login > place.login) this.#displace(place)
  }

  #displace({ device }: Place): void {
    this.remove(device)
    device.displace()
  }

  /** Messages are stored before devices are told: what the bus has lost they find in the database. */
  #endGap(): void {
    if (!this.#bus.connected) return
    this.#catchUp()
    if (!this.#hasFailed) return
    this.#hasFailed = false
    this.#channel.publish({ missed: true })
  }

  #catchUp(): void {
    for (const { device } of [...this.#places.values()]) device.catchUp()
  }
}
