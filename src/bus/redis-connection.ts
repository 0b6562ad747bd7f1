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
  /** Returns the channels to subscribe to; called after each connect. */
  readonly channels: () => readonly string[]
  /** Called with each message on these channels, in the order of publication. */
  readonly onMessage: (channel: string, payload: string) => void
  /** Called when messages may have been missed: when the connection is lost, and when it is back. */
  readonly interrupted: () => void
  readonly times?: RedisTimes
}

/** Times in milliseconds. */
export interface RedisTimes {
  /** The pause between two checks whether the connection is alive. */
  readonly checkInterval?: number
  /** Maximum time for a response before the connection counts as dead. */
  readonly timeoutMs?: number
  /** The pause before the first attempt to reconnect; it doubles with each further attempt. */
  readonly firstPause?: number
  readonly longestPause?: number
}

interface Message {
  readonly channel: string
  readonly payload: string
}

/** Maximum time for closing a connection before it is cut, in milliseconds. */
const DISCONNECT_TIMEOUT = 500
/**
 * Maximum bytes sent in one batch; the next batch follows when Redis has accepted it. Redis disconnects subscribers
 * with more than 32 MB of pending data, and this connection subscribes, too.
 */
const BATCH_BYTES = 4 * 1024 * 1024
/** Maximum number of channels per SUBSCRIBE. */
const CHANNELS_AT_ONCE = 1000

/**
 * A connection to Redis for publishing and subscribing that reconnects when it is lost. In a cluster any node will do,
 * because nodes forward published messages. After a loss, the next server of the address is tried.
 */
export class RedisConnection {
  readonly #options: RedisConnectionOptions
  readonly #times: Required<RedisTimes>
  readonly #outage: RedisOutage
  readonly #publishCoalesced: (message: Message) => Promise<null>
  readonly #stopping = new AbortController()
  #client: Redis | null = null
  /** The first error of the current connection. */
  #reason: unknown
  /** Redis responds in order: when the latest command has its response, all SUBSCRIBEs have theirs. */
  #latestAnswer: Promise<unknown> = Promise.resolve()
  #serving: Promise<void> | undefined

  constructor(options: RedisConnectionOptions) {
    this.#options = options
    this.#times = { checkInterval: 5000, timeoutMs: 3000, firstPause: 100, longestPause: 3000, ...options.times }
    this.#outage = new RedisOutage(options.log, 'what other nodes say is not heard')
    // Messages published while a batch is in progress form the next one, in order.
    this.#publishCoalesced = coalesce((messages) => this.#send(messages), { atOnce: 1, size: 1000 })
  }

  /** Whether messages on the channels arrive, as far as is known. */
  get connected(): boolean {
    return this.#outage.connected && !this.#stopping.signal.aborted
  }

  /** Resolves after the first attempt to connect, successful or not; more attempts follow. */
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

  /** @throws Error at once when not connected, and later when Redis may not have accepted the message */
  async publish(channel: string, payload: string): Promise<void> {
    this.#checkConnected()
    await this.#publishCoalesced({ channel, payload })
  }

  /**
   * Subscribes to one more channel. Before the connection is ready there is nothing to do, because `channels` then
   * includes it.
   */
  listen(channel: string): void {
    if (this.#client?.status === 'ready') this.#command(this.#client, (client) => client.subscribe(channel))
  }

  unlisten(channel: string): void {
    if (this.#client?.status === 'ready') this.#command(this.#client, (client) => client.unsubscribe(channel))
  }

  /** Resolves when all channels are subscribed to, or when the connection is lost. */
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

  /**
   * Connects, and resolves when the connection has ended.
   * @returns whether it was ever subscribed
   */
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
    // A ping without a response in time ends the connection.
    const questions = setInterval(() => this.#command(client, () => client.ping()), this.#times.checkInterval).unref()
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
      connectTimeout: this.#times.timeoutMs,
      socketTimeout: this.#times.timeoutMs,
      disconnectTimeout: DISCONNECT_TIMEOUT,
      // `#serve` decides whether to reconnect.
      retryStrategy: null,
      enableOfflineQueue: false,
    })
    client.on('message', this.#options.onMessage)
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

  /** Sends a command; if it fails, drops the connection. */
  #command(client: Redis, command: (client: Redis) => Promise<unknown>): void {
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

/** Splits messages into batches by their length in characters, which approximates bytes. */
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
  // `disconnect` on an ended connection would leave a timer behind.
  if (client.status !== 'end') client.disconnect()
}
