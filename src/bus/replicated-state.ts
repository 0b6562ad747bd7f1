import type { Cluster, Redis } from 'ioredis'
import { chunks } from './chunks.ts'
import { keyOfApp, RESTORE_CLAIMS } from './directory-scripts.ts'
import { NodeState } from './node-state.ts'
import { escapePair, escapeText } from './redis-text.ts'

/** Maximum number of members per command. */
const MEMBERS_AT_ONCE = 1000

/** The state of this node and app in Redis. */
interface Known {
  /** Whether the lease was still running. */
  readonly alive: boolean
  readonly clients: number
  readonly counts: number
  readonly members: number
}

/**
 * The directory entries of this node for one app, kept in memory and in Redis, where the other nodes read them. Changes
 * are collected and sent together.
 */
export class ReplicatedState extends NodeState {
  readonly #client: Redis | Cluster
  readonly #app: string
  readonly #node: string
  readonly #lease: number
  readonly #changedClients = new Set<string>()
  readonly #changedCounts = new Set<string>()
  readonly #changedMembers = new Set<string>()
  /** The state in Redis is uncertain: the next renewal sends everything. */
  #unsure = true
  /** Changes wait for the end of the event-loop iteration. */
  #waiting = false
  #withdrawn = false

  /** @param lease milliseconds for which Redis keeps the entries */
  constructor(client: Redis | Cluster, appId: string, node: string, lease: number) {
    super()
    this.#client = client
    this.#app = keyOfApp(appId)
    this.#node = node
    this.#lease = lease
  }

  /** Records that a client has gone online or offline. All changes within an event-loop iteration are sent together. */
  clientChanged(clientId: string): void {
    this.#changedClients.add(clientId)
    this.#publishSoon()
  }

  countChanged(key: string): void {
    this.#changedCounts.add(key)
    this.#publishSoon()
  }

  /** Records that a member has entered or left a group. */
  memberChanged(group: string, member: string, isThere: boolean): void {
    const entry = escapePair(group, member)
    if (isThere) this.members.add(entry)
    else this.members.delete(entry)
    this.#changedMembers.add(entry)
    this.#publishSoon()
  }

  /** Marks the state in Redis as possibly lost. */
  doubt(): void {
    this.#unsure = true
  }

  /** Sends pending changes, so that later commands to Redis take them into account. */
  publishChanges(): void {
    if (!this.#waiting && !this.#unsure) return
    // If it fails, the next renewal sends everything and reports the error.
    this.renew().catch(() => {})
  }

  /**
   * Sends pending changes and renews the lease. If the state in Redis differs from what was sent (Redis was restarted,
   * or this node was silent for longer than the lease), sends everything.
   * @throws Error when Redis does not respond
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
      // If resending everything does not help, the next renewal tries again.
      if (!everything) this.publishChanges()
    } catch (error) {
      this.#unsure = true
      throw error
    }
  }

  /** Removes all entries of this node. */
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
    setImmediate(() => this.#waiting && this.publishChanges())
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
    const [here, removed] = splitByPresence(changed, this.clients)
    return [
      ...chunks(here, MEMBERS_AT_ONCE).map((ids) => ['sadd', key, ...ids.map(escapeText)]),
      ...chunks(removed, MEMBERS_AT_ONCE).map((ids) => ['srem', key, ...ids.map(escapeText)]),
    ]
  }

  #countCommands(key: string, changed: Iterable<string>): string[][] {
    const [set, unset] = splitByPresence(changed, this.counts)
    const pair = (name: string) => [escapeText(name), String(this.counts.get(name))]
    return [
      ...chunks(set, MEMBERS_AT_ONCE).map((names) => ['hset', key, ...names.flatMap(pair)]),
      ...chunks(unset, MEMBERS_AT_ONCE).map((names) => ['hdel', key, ...names.map(escapeText)]),
    ]
  }

  #memberCommands(key: string, changed: Iterable<string>): string[][] {
    const [there, removed] = splitByPresence(changed, this.members)
    return [
      // All have the same score, so they are sorted by their texts.
      ...chunks(there, MEMBERS_AT_ONCE).map((entries) => ['zadd', key, ...entries.flatMap((entry) => ['0', entry])]),
      ...chunks(removed, MEMBERS_AT_ONCE).map((entries) => ['zrem', key, ...entries]),
    ]
  }

  #restoreClaims(): Promise<unknown>[] {
    return chunks([...this.claims], MEMBERS_AT_ONCE).map((claims) => {
      const pairs = claims.flat().map(escapeText)
      return this.#client.eval(RESTORE_CLAIMS, 1, this.#app, this.#node, this.#lease, ...pairs)
    })
  }

  /** The client of a cluster queues commands it cannot send, and would send them too late. */
  #checkConnected(): void {
    if (this.#client.status !== 'ready') throw new Error('Redis is not connected.')
  }

  /** Runs commands as one transaction, so that other nodes see all of them or none. */
  async #transaction(commands: unknown[][]): Promise<unknown[]> {
    const results = (await this.#client.multi(commands).exec()) ?? []
    return results.map(([error, result]) => {
      if (error) throw error
      return result
    })
  }
}

function splitByPresence(
  names: Iterable<string>,
  present: { has(name: string): boolean },
): [there: string[], gone: string[]] {
  const [there, removed]: [string[], string[]] = [[], []]
  for (const name of names) (present.has(name) ? there : removed).push(name)
  return [there, removed]
}
