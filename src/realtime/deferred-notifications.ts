/**
 * Delays what the clients of one connection are notified of, where a client that shares the connection, or the same client
 * on another connection, caused it by a command. The notification is written in a later turn of the event loop than the
 * response to the command: many clients read several frames at once, and handle a notification that arrives together with
 * the response before the code that awaits the response goes on.
 *
 * Commands notify as their last asynchronous step, so the response is given in the same turn, and written when that ends.
 * Whatever else the connection is notified of meanwhile waits too, and keeps its order.
 */
export class DeferredNotifications {
  #ofThisTurn: (() => void)[] = []
  #ofTurnBefore: (() => void)[] = []
  #isScheduled = false

  /** @param isOwn a client of the connection, or the same client elsewhere, has caused the notification */
  mustWait(isOwn: boolean): boolean {
    return isOwn || this.#isScheduled
  }

  add(send: () => void): void {
    this.#ofThisTurn.push(send)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#endTurn())
  }

  #endTurn(): void {
    const due = this.#ofTurnBefore
    this.#ofTurnBefore = this.#ofThisTurn
    this.#ofThisTurn = []
    this.#isScheduled = false
    if (this.#ofTurnBefore.length > 0) this.#schedule()
    for (const send of due) send()
  }
}
