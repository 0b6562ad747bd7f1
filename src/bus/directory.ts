/**
 * A directory of the clients that are online, by node. Each node registers its own clients, and results cover all nodes
 * of an installation. The entries of a dead node are dropped when its lease ends. While other nodes cannot be reached,
 * results cover this node only.
 */
export interface Directory {
  /** Registers a client. Call it when the first session of the client begins on this node; the caller counts sessions. */
  online(appId: string, clientId: string): void
  /** Removes a client. Call it when the last session of the client on this node has ended. */
  offline(appId: string, clientId: string): void
  /** Returns which of these clients are online on any node. */
  whoIsOnline(appId: string, clientIds: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Returns how many clients are online; a client on several nodes counts once. With several nodes the cost grows with
   * the number of clients, so call it rarely.
   */
  countOnline(appId: string): Promise<number>
  /**
   * Returns online clients with ids greater than `after`, ordered by id. The cost grows with the number of clients, so
   * call it rarely.
   */
  listOnline(appId: string, after: string, limit: number): Promise<string[]>
  /** Sets a number of this node under a key, such as the sessions here in a chat room. Initially 0. */
  setCount(appId: string, key: string, count: number): void
  /** Returns the sum of the numbers that the nodes have set under a key. */
  sumCount(appId: string, key: string): Promise<number>
  /** Registers a member of a group on this node, such as a client in a chat room. The caller keeps the list of its members. */
  entered(appId: string, group: string, member: string): void
  /** Removes a member from a group on this node. */
  left(appId: string, group: string, member: string): void
  /**
   * Returns randomly chosen members of a group on other nodes. The cost grows with their number, not with the size of
   * the group.
   * @param limit maximum per node
   */
  someOnOtherNodes(appId: string, group: string, limit: number): Promise<string[]>
  /**
   * Assigns a name, such as a client and a tag, to a holder: a session on this node. The latest claim wins.
   * @returns the previous holder on any node; null when there was none or it was this one
   */
  claim(appId: string, name: string, holder: string): Promise<string | null>
  /** Releases a name if this holder, a session on this node, still has it. */
  release(appId: string, name: string, holder: string): Promise<void>
  /** Returns the holder of a name on any node. */
  holder(appId: string, name: string): Promise<string | null>
  /** Whether results cover the other nodes. */
  readonly connected: boolean
  /** Resolves after the first attempt to reach the other nodes; if it failed, more follow. */
  start(): Promise<void>
  /** Stops permanently. Other nodes drop the entries of this node at once. */
  stop(): Promise<void>
}
