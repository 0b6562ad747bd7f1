import type { Cluster, Redis } from 'ioredis'
import { chunks } from './chunks.ts'
import { keyOfApp, RESTORE_CLAIMS } from './directory-scripts.ts'
import { NodeState } from './node-state.ts'
import { escapePair, escapeText } from './redis-text.ts'

/** How many members one command names, at most. */
const MEMBERS_AT_ONCE = 1000

/** What Redis knows of this node and app. */
interface Known {
  /** Whether the lease still ran. */
  readonly alive: boolean
  readonly clients: number
  readonly counts: number
  readonly members: number
}

/**
 * What this node says of one app, kept here and in Redis, where the other nodes find it. Changes are collected and sent
 * together.
 */
export class ReplicatedState extends NodeState {
  readonly #client: Redis | Cluster
  readonly #app: string
  readonly #node: string
  readonly #lease: number
  readonly #changedClients = new Set<string>()
  readonly #changedCounts = new Set<string>()
  readonly #changedMembers = new Set<string>()
  /** What Redis knows is not certain: the next time everything is sent. */
  #unsure = true
  /** Changes wait for the end of the turn. */
  #waiting = false
  #withdrawn = false

  /** @param lease milliseconds for which Redis keeps what it was sent */
  constructor(client: Redis | Cluster, appId: string, node: string, lease: number) {
    super()
    this.#client = client
    this.#app = keyOfApp(appId)
    this.#node = node
    this.#lease = lease
  }

  /** A client has come or gone. This is sent at the end of the turn, together with what else happens in it. */
  clientChanged(clientId: string): void {
    this.#changedClients.add(clientId)
    this.#publishSoon()
  }

  countChanged(key: string): void {
    this.#changedCounts.add(key)
    this.#publishSoon()
  }

  /** Somebody has entered a group, or left it. */
  memberChanged(group: string, member: string, isThere: boolean): void {
    const entry = escapePair(group, member)
    if (isThere) this.members.add(entry)
    else this.members.delete(entry)
    this.#changedMembers.add(entry)
    this.#publishSoon()
  }

  /** What Redis was sent may be lost. */
  doubt(): void {
    this.#unsure = true
  }

  /** Sends what is new, if anything is. What Redis is asked after that it answers with that in mind. */
  publishNews(): void {
    if (!this.#waiting && !this.#unsure) return
    // When it fails, the next renewal sends everything, and says why it cannot.
    this.renew().catch(() => {})
  }

  /**
   * Sends what Redis does not know, and renews the lease. When Redis turns out to know something else than it was sent (it
   * was started anew, or this node was silent for longer than the lease), everything is sent.
   * @throws Error when Redis does not answer
   */
  async renew(): Promise<void> {
    if (this.#withdrawn) return
    const everything = this.#unsure
    const { size: clients } = this.clients
    const { size: counts } = this.counts
    const { size: members } = this.members
    const answer = this.#publish(everything)
    this.#waiting = false
    this.#unsure = false
    this.#changedClients.clear()
    this.#changedCounts.clear()
    this.#changedMembers.clear()
    try {
      const known = await answer
      const knowsAll = known.clients === clients && known.counts === counts && known.members === members
      if (knowsAll && (known.alive || everything)) return
      this.#unsure = true
      // If even that does not help, there is time until the next renewal.
      if (!everything) this.publishNews()
    } catch (error) {
      this.#unsure = true
      throw error
    }
  }

  /** Takes back all that was said. */
  async withdraw(): Promise<void> {
    this.#withdrawn = true
    this.#checkConnected()
    const said = ['alive', 'clients', 'counts', 'members', 'claims'].map((name) => this.#key(name))
    await this.#transaction([
      ['unlink', ...said],
      ['srem', this.#app, this.#node],
    ])
  }

  #key(name: string): string {
    return `${this.#app}:${this.#node}:${name}`
  }

  #publishSoon(): void {
    if (this.#waiting) return
    this.#waiting = true
    setImmediate(() => this.#waiting && this.publishNews())
  }

  async #publish(everything: boolean): Promise<Known> {
    this.#checkConnected()
    const [clients, counts, members, claims] = ['clients', 'counts', 'members', 'claims'].map((name) =>
      this.#key(name),
    ) as [string, string, string, string]
    const sent = this.#transaction([
      ...(everything ? [['unlink', clients, counts, members, claims]] : []),
      ...this.#clientCommands(clients, everything ? this.clients : this.#changedClients),
      ...this.#countCommands(counts, everything ? this.counts.keys() : this.#changedCounts),
      ...this.#memberCommands(members, everything ? this.members : this.#changedMembers),
      ...[clients, counts, members, claims].map((key) => ['pexpire', key, this.#lease]),
      ['sadd', this.#app, this.#node],
      ['pexpire', this.#app, this.#lease],
      ['set', this.#key('alive'), '', 'PX', this.#lease, 'GET'],
      ['scard', clients],
      ['hlen', counts],
      ['zcard', members],
    ])
    const restored = everything ? this.#restoreClaims() : []
    const [results] = await Promise.all([sent, ...restored])
    const [alive, ...sizes] = results.slice(-4)
    const [clientsKnown, countsKnown, membersKnown] = sizes.map(Number) as [number, number, number]
    return { alive: alive !== null, clients: clientsKnown, counts: countsKnown, members: membersKnown }
  }

  #clientCommands(key: string, changed: Iterable<string>): string[][] {
    const [here, gone] = parted(changed, this.clients)
    return [
      ...chunks(here, MEMBERS_AT_ONCE).map((ids) => ['sadd', key, ...ids.map(escapeText)]),
      ...chunks(gone, MEMBERS_AT_ONCE).map((ids) => ['srem', key, ...ids.map(escapeText)]),
    ]
  }

  #countCommands(key: string, changed: Iterable<string>): string[][] {
    const [set, unset] = parted(changed, this.counts)
    const pair = (name: string) => [escapeText(name), String(this.counts.get(name))]
    return [
      ...chunks(set, MEMBERS_AT_ONCE).map((names) => ['hset', key, ...names.flatMap(pair)]),
      ...chunks(unset, MEMBERS_AT_ONCE).map((names) => ['hdel', key, ...names.map(escapeText)]),
    ]
  }

  #memberCommands(key: string, changed: Iterable<string>): string[][] {
    const [there, gone] = parted(changed, this.members)
    return [
      // All with the same score: they stand in the order of their texts.
      ...chunks(there, MEMBERS_AT_ONCE).map((entries) => ['zadd', key, ...entries.flatMap((entry) => ['0', entry])]),
      ...chunks(gone, MEMBERS_AT_ONCE).map((entries) => ['zrem', key, ...entries]),
    ]
  }

  #restoreClaims(): Promise<unknown>[] {
    return chunks([...this.claims], MEMBERS_AT_ONCE).map((claims) => {
      const pairs = claims.flat().map(escapeText)
      return this.#client.eval(RESTORE_CLAIMS, 1, this.#app, this.#node, this.#lease, ...pairs)
    })
  }

  /** The client of a cluster keeps what it cannot send, and would send it when it is too late. */
  #checkConnected(): void {
    if (this.#client.status !== 'ready') throw new Error('Redis is not connected.')
  }

  /** Other nodes see all of the commands or none. */
  async #transaction(commands: unknown[][]): Promise<unknown[]> {
    const results = (await this.#client.multi(commands).exec()) ?? []
    return results.map(([error, result]) => {
      if (error) throw error
      return result
    })
  }
}

function parted(names: Iterable<string>, present: { has(name: string): boolean }): [there: string[], gone: string[]] {
  const [there, gone]: [string[], string[]] = [[], []]
  for (const name of names) (present.has(name) ? there : gone).push(name)
  return [there, gone]
}
