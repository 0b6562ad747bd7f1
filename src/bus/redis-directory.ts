import { randomInt, randomUUID } from 'node:crypto'
import type { Cluster, Redis } from 'ioredis'
import type { Log } from '../log.ts'
import { chunks } from './chunks.ts'
import type { Directory } from './directory.ts'
import * as scripts from './directory-scripts.ts'
import { FirstTexts } from './first-texts.ts'
import { redisClient } from './redis-client.ts'
import { RedisOutage } from './redis-outage.ts'
import { escapeText, pairRange, secondOfPair, unescapeText } from './redis-text.ts'
import { redisAddress } from './redis-url.ts'
import { ReplicatedState } from './replicated-state.ts'

export interface RedisDirectoryOptions {
  /** How long Redis considers a node alive after its last renewal, in milliseconds. */
  readonly lease?: number
}

/** Leases are renewed after this fraction of their duration. */
const BEAT = 0.3
/** Maximum number of clients per script call. */
const CLIENTS_AT_ONCE = 1000
const HIGHEST_SEED = 2 ** 31

/**
 * The directory of several nodes on Redis. The entries of this node are also kept in memory; results combine them with
 * the entries of other nodes in Redis. After Redis was unavailable, all entries are sent again.
 */
export class RedisDirectory implements Directory {
  readonly #client: Redis | Cluster
  readonly #outage: RedisOutage
  readonly #lease: number
  readonly #node = randomUUID()
  readonly #apps = new Map<string, ReplicatedState>()
  #heart: NodeJS.Timeout | undefined
  /** The latest error. */
  #reason: unknown
  #stopped = false

  /**
   * @param url as `redisAddress` parses it
   * @throws Error when the URL is invalid
   */
  constructor(url: string, log: Log, { lease = 10_000 }: RedisDirectoryOptions = {}) {
    this.#client = redisClient(redisAddress(url), 'homeport-directory')
    this.#outage = new RedisOutage(log.child({ component: 'directory' }), 'who is online on other nodes is not known')
    this.#lease = lease
  }

  get connected(): boolean {
    return this.#outage.connected && !this.#stopped
  }

  async start(): Promise<void> {
    for (const event of ['error', 'node error'])
      this.#client.on(event, (error) => {
        this.#reason = error
      })
    this.#client.on('close', () => this.#note(false, this.#reason))
    this.#client.on('ready', () => {
      for (const app of this.#apps.values()) app.doubt()
      void this.#beat()
    })
    // If it fails, the client keeps trying.
    await this.#client.connect().catch(() => {})
    await this.#beat()
    this.#heart = setInterval(() => void this.#beat(), this.#lease * BEAT).unref()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#heart)
    // Without Redis, the entries of this node expire with its lease.
    await Promise.allSettled([...this.#apps.values()].map((app) => app.withdraw()))
    this.#client.disconnect()
  }

  online(appId: string, clientId: string): void {
    const app = this.#app(appId)
    app.clients.add(clientId)
    app.clientChanged(clientId)
  }

  offline(appId: string, clientId: string): void {
    const app = this.#app(appId)
    app.clients.delete(clientId)
    app.clientChanged(clientId)
  }

  async whoIsOnline(appId: string, clientIds: readonly string[]): Promise<ReadonlySet<string>> {
    const here = this.#apps.get(appId)?.clients
    const online = new Set(here && clientIds.filter((id) => here.has(id)))
    const others = clientIds.filter((id) => !online.has(id))
    await Promise.all(
      chunks(others, CLIENTS_AT_ONCE).map(async (ids) => {
        const positions = await this.#run(scripts.ONLINE_ON_OTHER_NODES, appId, ...ids.map(escapeText))
        if (Array.isArray(positions)) for (const position of positions) online.add(ids[Number(position) - 1]!)
      }),
    )
    return online
  }

  async countOnline(appId: string): Promise<number> {
    const app = this.#apps.get(appId)
    app?.publishChanges()
    return Number((await this.#run(scripts.COUNT_ONLINE, appId)) ?? app?.clients.size ?? 0)
  }

  async listOnline(appId: string, after: string, limit: number): Promise<string[]> {
    const first = new FirstTexts(after, limit)
    for (const clientId of this.#apps.get(appId)?.clients ?? []) first.add(clientId)
    const others = await this.#run(scripts.OTHER_NODES, appId)
    try {
      for (const key of Array.isArray(others) ? others : [])
        for await (const ids of this.#membersOf(`${String(key)}:clients`))
          for (const id of ids) first.add(unescapeText(id))
    } catch (error) {
      this.#note(false, error)
    }
    return first.take()
  }

  /** Yields the members of a set that may be large in batches, so that Redis serves other commands in between. */
  async *#membersOf(key: string): AsyncGenerator<readonly string[]> {
    let [cursor, members] = await this.#client.sscan(key, 0, 'COUNT', CLIENTS_AT_ONCE)
    yield members
    while (cursor !== '0') {
      ;[cursor, members] = await this.#client.sscan(key, cursor, 'COUNT', CLIENTS_AT_ONCE)
      yield members
    }
  }

  setCount(appId: string, key: string, count: number): void {
    const app = this.#app(appId)
    app.setCount(key, count)
    app.countChanged(key)
  }

  async sumCount(appId: string, key: string): Promise<number> {
    const onOtherNodes = await this.#run(scripts.SUM_ON_OTHER_NODES, appId, escapeText(key))
    return Number(onOtherNodes ?? 0) + (this.#apps.get(appId)?.counts.get(key) ?? 0)
  }

  entered(appId: string, group: string, member: string): void {
    this.#app(appId).memberChanged(group, member, true)
  }

  left(appId: string, group: string, member: string): void {
    this.#app(appId).memberChanged(group, member, false)
  }

  async someOnOtherNodes(appId: string, group: string, limit: number): Promise<string[]> {
    const drawn = await this.#run(
      scripts.SOME_ON_OTHER_NODES,
      appId,
      ...pairRange(group),
      limit,
      randomInt(HIGHEST_SEED),
    )
    return Array.isArray(drawn) ? drawn.map((entry) => secondOfPair(String(entry))) : []
  }

  async claim(appId: string, name: string, holder: string): Promise<string | null> {
    const app = this.#app(appId)
    const here = app.claim(name, holder)
    app.publishChanges()
    const onOtherNodes = await this.#run(scripts.CLAIM, appId, this.#lease, escapeText(name), escapeText(holder))
    if (onOtherNodes === undefined) app.doubt()
    return typeof onOtherNodes === 'string' ? unescapeText(onOtherNodes) : here
  }

  async release(appId: string, name: string, holder: string): Promise<void> {
    const app = this.#app(appId)
    app.release(name, holder)
    const answer = await this.#run(scripts.RELEASE, appId, escapeText(name), escapeText(holder))
    if (answer === undefined) app.doubt()
  }

  async holder(appId: string, name: string): Promise<string | null> {
    const onOtherNodes = await this.#run(scripts.HOLDER_ON_OTHER_NODES, appId, escapeText(name))
    return typeof onOtherNodes === 'string'
      ? unescapeText(onOtherNodes)
      : (this.#apps.get(appId)?.claims.get(name) ?? null)
  }

  #app(appId: string): ReplicatedState {
    const app = this.#apps.get(appId) ?? new ReplicatedState(this.#client, appId, this.#node, this.#lease)
    this.#apps.set(appId, app)
    return app
  }

  /** @returns undefined when Redis does not respond */
  async #run(script: string, appId: string, ...args: (string | number)[]): Promise<unknown> {
    // The client of a cluster would queue the command for later.
    if (this.#client.status !== 'ready') return undefined
    try {
      return await this.#client.eval(script, 1, scripts.keyOfApp(appId), this.#node, ...args)
    } catch (error) {
      this.#note(false, error)
      return undefined
    }
  }

  async #beat(): Promise<void> {
    if (this.#client.status !== 'ready') return this.#note(false, this.#reason)
    try {
      await Promise.all([this.#client.ping(), ...[...this.#apps].map(([id, app]) => this.#renew(id, app))])
      this.#note(true)
    } catch (error) {
      this.#note(false, error)
    }
  }

  async #renew(appId: string, app: ReplicatedState): Promise<void> {
    await app.renew()
    // The app has no entries left.
    if (app.empty) this.#apps.delete(appId)
  }

  #note(connected: boolean, reason?: unknown): void {
    if (!this.#stopped) this.#outage.note(connected, reason)
  }
}
