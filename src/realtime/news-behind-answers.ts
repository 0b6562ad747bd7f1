/**
 * What the clients of one connection are notified of in conversations, in its order. What one of them has brought about itself
 * waits for the end of the event loop's turn, and whatever comes after it waits too: clients understand news of a command
 * only behind its answer, and that is given before the turn ends in which the last is done that the command brings about,
 * which is to tell of it.
 */
export class NewsBehindAnswers {
  #waiting: (() => void)[] = []

  /** @param isOwn a client of this connection has brought it about */
  deliver(isOwn: boolean, push: () => void): void {
    if (!isOwn && this.#waiting.length === 0) push()
    else if (this.#waiting.push(push) === 1) setImmediate(() => this.#end())
  }

  #end(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const push of waiting) push()
  }
}
