import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { coalesce, type Outcome } from '../database/coalesce.ts'
import type { Log } from '../log.ts'
import { chunks } from './chunks.ts'
import { RedisOutage } from './redis-outage.ts'
import type { RedisAddress } from './redis-url.ts'

export interface RedisConnectionOptions {
  readonly address: RedisAddress
  readonly log: Log
  /** The channels to listen to, asked for each time that it has connected. */
  readonly channels: () => readonly string[]
  /** Called with what is published on them, in the order it was published. */
  readonly heard: (channel: string, payload: string) => void
  /** Called when messages may have been missed: the connection was lost, and again when it is back. */
  readonly interrupted: () => void
  readonly times?: RedisTimes
}

/** Times in milliseconds. */
export interface RedisTimes {
  /** The pause between two checks whether the connection is alive. */
  readonly checkInterval?: number
  /** How long an answer may take before the connection counts as dead. */
  readonly patience?: number
  /** The pause before the first attempt to connect again; each further one doubles it. */
  readonly firstPause?: number
  readonly longestPause?: number
}

interface Message {
  readonly channel: string
  readonly payload: string
}

/** How long the end of a connection may take before it is cut, in milliseconds. */
const DISCONNECT_TIMEOUT = 500
/**
 * How many bytes are sent at once; the next ones follow when Redis has taken them. Redis cuts off listeners for whom more
 * than 32 MB wait, and this connection listens too.
 */
const BATCH_BYTES = 4 * 1024 * 1024
/** How many channels one SUBSCRIBE names, at most. */
const CHANNELS_AT_ONCE = 1000

/**
 * A connection to Redis that publishes and listens, and is made anew when it is lost. In a cluster it may be one to any
 * node, because nodes pass on what is published. When one is lost, the next one of the address is tried.
 */
export class RedisConnection {
  readonly #options: RedisConnectionOptions
  readonly #times: Required<RedisTimes>
  readonly #outage: RedisOutage
  readonly #publishCoalesced: (message: Message) => Promise<null>
  readonly #stopping = new AbortController()
  #client: Redis | null = null
  /** The first fault of the present connection. */
  #reason: unknown
  /** Redis answers in order: when the latest command has its answer, all SUBSCRIBEs have theirs. */
  #latestAnswer: Promise<unknown> = Promise.resolve()
  #serving: Promise<void> | undefined

  constructor(options: RedisConnectionOptions) {
    this.#options = options
    this.#times = { checkInterval: 5000, patience: 3000, firstPause: 100, longestPause: 3000, ...options.times }
    this.#outage = new RedisOutage(options.log, 'what other nodes say is not heard')
    // Messages that are published while a batch is under way make up the next one, in order.
    this.#publishCoalesced = coalesce((messages) => this.#send(messages), { atOnce: 1, size: 1000 })
  }

  /** Whether messages on the channels arrive, as far as is known. */
  get connected(): boolean {
    return this.#outage.connected && !this.#stopping.signal.aborted
  }

  /** Resolves after the first attempt to connect, whether or not it succeeded; more attempts follow. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#serving = this.#serve(resolve)
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#client?.removeAllListeners('message')
    if (this.#client) drop(this.#client)
    await this.#serving
  }

  /** @throws Error at once when it is not connected, and later when Redis may not have taken the message */
  async publish(channel: string, payload: string): Promise<void> {
    this.#checkConnected()
    await this.#publishCoalesced({ channel, payload })
  }

  /** Listens to one more channel. Before it has connected there is nothing to do, because `channels` names this one then. */
  listen(channel: string): void {
    if (this.#client?.status === 'ready') this.#ask(this.#client, (client) => client.subscribe(channel))
  }

  unlisten(channel: string): void {
    if (this.#client?.status === 'ready') this.#ask(this.#client, (client) => client.unsubscribe(channel))
  }

  /** Resolves when all channels are listened to, or when the connection is lost. */
  async listening(): Promise<void> {
    if (this.connected) await this.#latestAnswer
  }

  async #send(messages: readonly Message[]): Promise<Outcome<null>[]> {
    const outcomes: Outcome<null>[] = []
    for (const batch of batches(messages)) {
      const client = this.#checkConnected()
      const commands = batch.map(({ channel, payload }) => ['publish', channel, payload])
      const results = (await client.pipeline(commands).exec()) ?? []
      outcomes.push(...results.map(([error]) => (error ? { error } : { result: null })))
    }
    return outcomes
  }

  #checkConnected(): Redis {
    if (!this.#client || !this.connected) throw new Error('Redis is not connected.')
    return this.#client
  }

  async #serve(tried: () => void): Promise<void> {
    const { firstPause, longestPause } = this.#times
    const { servers } = this.#options.address
    const { signal } = this.#stopping
    let pause = firstPause
    for (let attempt = 0; !signal.aborted; attempt++) {
      const { host, port } = servers[attempt % servers.length]!
      if (await this.#attend(host, port, tried)) pause = firstPause
      await sleep(pause, null, { ref: false, signal }).catch(() => {})
      pause = Math.min(longestPause, pause * 2)
    }
  }

  /** Connects. Resolves when the connection has ended, with whether it ever listened. */
  async #attend(host: string, port: number, tried: () => void): Promise<boolean> {
    const client = this.#open(host, port)
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    this.#client = client
    this.#reason = undefined
    const listened = await this.#begin(client)
    if (listened) {
      this.#note(true)
      tried()
    } else drop(client)
    // A question that is not answered in time ends the connection.
    const questions = setInterval(() => this.#ask(client, () => client.ping()), this.#times.checkInterval).unref()
    await ended
    clearInterval(questions)
    this.#client = null
    this.#note(false)
    tried()
    return listened
  }

  #open(host: string, port: number): Redis {
    const { username, password, tls } = this.#options.address
    const client = new Redis({
      host,
      port,
      username,
      password,
      tls: tls ? {} : undefined,
      connectionName: 'homeport-bus',
      lazyConnect: true,
      connectTimeout: this.#times.patience,
      socketTimeout: this.#times.patience,
      disconnectTimeout: DISCONNECT_TIMEOUT,
      // `#serve` decides what comes after a connection.
      retryStrategy: null,
      enableOfflineQueue: false,
    })
    client.on('message', this.#options.heard)
    client.on('error', (error) => {
      this.#reason ??= error
    })
    return client
  }

  async #begin(client: Redis): Promise<boolean> {
    try {
      await client.connect()
      const channels = chunks(this.#options.channels(), CHANNELS_AT_ONCE)
      await Promise.all(channels.map((some) => client.subscribe(...some)))
      return client.status === 'ready' && !this.#stopping.signal.aborted
    } catch (error) {
      this.#reason ??= error
      return false
    }
  }

  /** Sends a command; when it fails, the connection is given up. */
  #ask(client: Redis, command: (client: Redis) => Promise<unknown>): void {
    this.#latestAnswer = command(client).catch((error) => {
      this.#reason ??= error
      drop(client)
    })
  }

  #note(connected: boolean): void {
    if (this.#stopping.signal.aborted) return
    if (this.#outage.note(connected, this.#reason)) this.#options.interrupted()
  }
}

/** Divides messages into batches, by their length in characters: that is near enough to bytes. */
function batches(messages: readonly Message[]): Message[][] {
  const parted: Message[][] = [[]]
  let length = 0
  for (const message of messages) {
    length += message.payload.length
    if (length > BATCH_BYTES && parted.at(-1)!.length > 0) {
      parted.push([])
      length = message.payload.length
    }
    parted.at(-1)!.push(message)
  }
  return parted
}

function drop(client: Redis): void {
  // `disconnect` of a connection that has ended would leave a timer behind.
  if (client.status !== 'end') client.disconnect()
}
