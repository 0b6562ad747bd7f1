/**
 * Who is online where. Each node says this of itself, and answers hold what all nodes of an installation have said. What a
 * node said is forgotten when it has died and its lease has ended. While other nodes cannot be asked, answers hold what
 * this node knows.
 */
export interface Directory {
  /** To be called when the first session of a client begins on this node. The caller keeps count of them. */
  online(appId: string, clientId: string): void
  /** To be called when the last session of a client on this node has ended. */
  offline(appId: string, clientId: string): void
  /** Which of these clients are online, on whatever node. */
  whoIsOnline(appId: string, clientIds: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * How many clients are online; one on several nodes counts once. With several nodes the effort grows with the number
   * of clients, so it should be asked rarely.
   */
  countOnline(appId: string): Promise<number>
  /**
   * The clients that are online behind one, in the order of their ids. The effort grows with the number of clients, so it
   * should be asked rarely.
   */
  listOnline(appId: string, after: string, limit: number): Promise<string[]>
  /** Sets a number of this node under a key, such as the sessions here in a chat room; 0 until then. */
  setCount(appId: string, key: string, count: number): void
  /** The sum of what the nodes have set under a key. */
  sumCount(appId: string, key: string): Promise<number>
  /**
   * To be called when a group has a new member on this node, such as a client in a chat room. The caller knows who is in
   * it here.
   */
  entered(appId: string, group: string, member: string): void
  /** To be called when a member is no longer in a group on this node. */
  left(appId: string, group: string, member: string): void
  /**
   * Some of the members that a group has on other nodes, chosen at random. The effort grows with how many these are, not
   * with the size of the group.
   * @param limit how many of each node, at most
   */
  someElsewhere(appId: string, group: string, limit: number): Promise<string[]>
  /**
   * Gives a name, such as a client and a tag, to a holder: a session on this node. The latest claim wins.
   * @returns the holder before, on whatever node; null when there was none or it was this one
   */
  claim(appId: string, name: string, holder: string): Promise<string | null>
  /** Gives a name back, if this holder, a session on this node, has it still. */
  release(appId: string, name: string, holder: string): Promise<void>
  /** Who has a name, on whatever node. */
  holder(appId: string, name: string): Promise<string | null>
  /** Whether answers hold what other nodes say. */
  readonly connected: boolean
  /** Resolves after the first attempt to reach the other nodes; when it failed, more follow. */
  start(): Promise<void>
  /** For good. Other nodes forget at once what this one said. */
  stop(): Promise<void>
}
