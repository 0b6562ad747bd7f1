import { setTimeout as later } from 'node:timers'

/** How long a message waits for the one before it, in milliseconds. */
const PATIENCE = 500
/** Conversations whose last time is remembered. */
const SIZE = 50_000

interface Waiting {
  readonly before: number
  readonly ts: number
  readonly pass: () => void
}

interface Line {
  /** The time of the last message that has passed. */
  last: number
  readonly waiting: Waiting[]
}

/**
 * Lets messages of a conversation pass in the order of their times, though those of other nodes may arrive out of order.
 * Each message knows the time of the one before it; when that has not passed, it waits, but not for ever: the one before
 * may have been lost on its way.
 */
export class OrderGate {
  readonly #lines = new Map<string, Line>()

  /** Calls `pass` when it is the message's turn: at once, unless another one is missing. */
  enter(convId: string, before: number, ts: number, pass: () => void): void {
    const line = this.#lines.get(convId)
    if (!line) {
      this.#remember(convId, ts)
      pass()
      return
    }
    if (before <= line.last && line.waiting.length === 0) {
      line.last = Math.max(line.last, ts)
      pass()
      return
    }
    const entry: Waiting = { before, ts, pass }
    line.waiting.push(entry)
    line.waiting.sort((first, second) => first.ts - second.ts)
    this.#letPass(line)
    if (line.waiting.includes(entry)) later(() => this.#giveUp(line, entry), PATIENCE).unref()
  }

  #remember(convId: string, ts: number): void {
    if (this.#lines.size >= SIZE) {
      const [oldest, line] = this.#lines.entries().next().value!
      this.#lines.delete(oldest)
      for (const { pass } of line.waiting) pass()
    }
    this.#lines.set(convId, { last: ts, waiting: [] })
  }

  #letPass(line: Line): void {
    while (line.waiting.length > 0 && line.waiting[0]!.before <= line.last) {
      const { ts, pass } = line.waiting.shift()!
      line.last = Math.max(line.last, ts)
      pass()
    }
  }

  /** The missing message has not come: everything up to this one goes on without it. */
  #giveUp(line: Line, entry: Waiting): void {
    if (!line.waiting.includes(entry)) return
    line.last = Math.max(line.last, entry.before)
    this.#letPass(line)
  }
}
