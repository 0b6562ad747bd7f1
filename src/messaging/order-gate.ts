/** How long a message waits for the one before it, in milliseconds. */
const PATIENCE = 500
/** Milliseconds after which a sent message counts as arrived or lost. */
const LONGEST_WAY = 5000
/** Conversations whose last time is remembered. */
const SIZE = 50_000

interface Entry {
  /** The time of the message before it. */
  readonly before: number
  readonly ts: number
  readonly pass: () => void
}

interface Line {
  /** The time of the last message that has passed; 0 when none has been seen. */
  last: number
  readonly waiting: Entry[]
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
    const line = this.#lines.get(convId) ?? this.#newLine(convId)
    const entry: Entry = { before, ts, pass }
    if (line.waiting.length === 0 && !isAnotherMissing(line, entry)) {
      line.last = Math.max(line.last, ts)
      pass()
      return
    }
    line.waiting.push(entry)
    line.waiting.sort((first, second) => first.ts - second.ts)
    this.#letPass(line)
    if (line.waiting.includes(entry)) setTimeout(() => this.#giveUp(line, entry), PATIENCE).unref()
  }

  #newLine(convId: string): Line {
    if (this.#lines.size >= SIZE) {
      const [oldest, line] = this.#lines.entries().next().value!
      this.#lines.delete(oldest)
      for (const { pass } of line.waiting.splice(0)) pass()
    }
    const line: Line = { last: 0, waiting: [] }
    this.#lines.set(convId, line)
    return line
  }

  #letPass(line: Line): void {
    while (line.waiting.length > 0 && !isAnotherMissing(line, line.waiting[0]!)) {
      const { ts, pass } = line.waiting.shift()!
      line.last = Math.max(line.last, ts)
      pass()
    }
  }

  /** The missing message has not come: everything up to this one goes on without it. */
  #giveUp(line: Line, entry: Entry): void {
    if (!line.waiting.includes(entry)) return
    line.last = Math.max(line.last, entry.before)
    this.#letPass(line)
  }
}

/** The one before it has not been seen, and may be on its way. */
function isAnotherMissing({ last }: Line, { before, ts }: Entry): boolean {
  return before > last && ts - before < LONGEST_WAY
}
