/**
 * Events between the nodes of one installation, each a topic and a text. They are not stored: a node that is away misses
 * them, and is told so afterwards.
 */
export interface Bus {
  /**
   * Tells every node, this one included. This node's own listeners are called before it returns. What one node publishes
   * arrives in the order it was published. It is no part of a transaction: publish what is committed.
   * @throws Error when the message is too long for the bus (it is told to nobody), or when other nodes could not be told
   */
  publish(topic: string, message: string): Promise<void>
  /** @returns a function that ends the subscription */
  subscribe(topic: string, listener: (message: string) => void): () => void
  /** Whether what other nodes publish arrives. While it does not, nothing may be remembered that another node could change. */
  readonly connected: boolean
  /**
   * Called when messages may have been missed: the connection was lost, and again when it is back.
   * @returns a function that ends it
   */
  onGap(listener: () => void): () => void
  /** Resolves when what other nodes publish arrives; rejects when the first connection fails. */
  start(): Promise<void>
  /** For good. */
  stop(): Promise<void>
}
