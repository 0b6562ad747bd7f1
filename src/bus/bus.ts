/**
 * Events between the nodes of one installation, each a topic and a text. They are not stored. A disconnected node
 * misses events, and is notified of that afterwards (`onGap`).
 */
export interface Bus {
  /**
   * Sends a message to every node, including this one. The listeners of this node are called before it returns.
   * Messages of one node arrive in the order in which they were published, even if the caller did not wait for each; a
   * caller that does not wait adds `.catch(…)`. Publishing is not part of a transaction: publish committed changes
   * only.
   * @throws Error when the message is too long for the bus (it is not sent at all), or when other nodes could not be
   *   reached
   */
  publish(topic: string, message: string): Promise<void>
  /** @returns a function that ends the subscription */
  subscribe(topic: string, listener: (message: string) => void): () => void
  /**
   * Resolves when messages arrive on all topics subscribed to so far. A caller that reads a state and follows its
   * changes waits for this before reading. While the bus is not connected it resolves at once, because `onGap` follows.
   */
  subscribed(): Promise<void>
  /** Whether messages of other nodes arrive. While they do not, data that another node could change must not be cached. */
  readonly connected: boolean
  /**
   * Calls the listener when messages may have been missed: when the connection is lost, and when it is back.
   * @returns a function that removes the listener
   */
  onGap(listener: () => void): () => void
  /**
   * Resolves when messages of other nodes arrive. If the first connection fails, it rejects when nodes depend on each
   * other; otherwise it resolves and keeps trying.
   */
  start(): Promise<void>
  /** Stops the bus permanently. */
  stop(): Promise<void>
}
