/**
 * Events between the nodes of one installation, each a topic and a text. They are not stored. A node that is away misses
 * them, and learns of that afterwards (`onGap`).
 */
export interface Bus {
  /**
   * Sends a message to every node, this one included. The listeners of this node are called before it returns. The messages
   * of one node arrive in the order in which they were published, whether or not it waited for each; a caller that does not
   * wait says `.catch(…)`. This is no part of a transaction: publish what is committed.
   * @throws Error when the message is too long for the bus (it is sent to nobody), or when other nodes could not be reached
   */
  publish(topic: string, message: string): Promise<void>
  /** @returns a function that ends the subscription */
  subscribe(topic: string, listener: (message: string) => void): () => void
  /**
   * Resolves when messages arrive on all topics that are subscribed to now. Whoever reads a state and follows its changes
   * waits for this before reading. While the bus is not connected it resolves at once, because `onGap` follows.
   */
  subscribed(): Promise<void>
  /** Whether messages of other nodes arrive. While they do not, nothing may be remembered that another node could change. */
  readonly connected: boolean
  /**
   * Calls the listener when messages may have been missed: when the connection is lost, and again when it is back.
   * @returns a function that ends it
   */
  onGap(listener: () => void): () => void
  /**
   * Resolves when messages of other nodes arrive. When the first connection fails, it rejects where nodes need each other;
   * where they do not, it resolves and goes on trying.
   */
  start(): Promise<void>
  /** Ends it for good. */
  stop(): Promise<void>
}
