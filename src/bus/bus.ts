/**
 * Events between the nodes of one installation, each a topic and a text. They are not stored: a node that is away misses
 * them, and learns afterwards that it has (`onGap`).
 */
export interface Bus {
  /**
   * Sends a message to every node, this one included. This node's own listeners are called before it returns. What one node publishes
   * arrives in the order it was published, whether or not it waits; who does not wait says `.catch(…)`. It is no part of
   * a transaction: publish what is committed.
   * @throws Error when the message is too long for the bus (it is sent to nobody), or when other nodes could not be reached
   */
  publish(topic: string, message: string): Promise<void>
  /** @returns a function that ends the subscription */
  subscribe(topic: string, listener: (message: string) => void): () => void
  /**
   * Resolves when messages arrive on all topics that are subscribed to now. Who reads a state and follows its changes
   * waits for it before reading. While the bus is not connected it resolves at once: `onGap` will tell.
   */
  subscribed(): Promise<void>
  /** Whether what other nodes publish arrives. While it does not, nothing may be remembered that another node could change. */
  readonly connected: boolean
  /**
   * Called when messages may have been missed: the connection was lost, and again when it is back.
   * @returns a function that ends it
   */
  onGap(listener: () => void): () => void
  /**
   * Resolves when what other nodes publish arrives. When the first connection fails it rejects, or, where nodes can do
   * without each other, resolves and tries on.
   */
  start(): Promise<void>
  /** For good. */
  stop(): Promise<void>
}
