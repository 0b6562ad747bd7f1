import type { DestinationStream } from 'pino'

/** Lines that are remembered, and characters of each. */
const MOST_LINES = 1000
const MOST_CHARACTERS = 2000

/** A line of the log. */
export interface TailLine {
  /** Grows with each line of the process. */
  readonly number: number
  readonly text: string
}

/** Remembers the last lines of the log. They hold no secrets: what is logged never does (docs/architecture.md, Management). */
export class LogTail {
  readonly #lines: TailLine[] = []
  #next = 0
  #number = 0

  /** A destination that gets all lines, and lets them be remembered. */
  before(destination: DestinationStream): DestinationStream {
    return {
      write: (line) => {
        this.#note(line)
        destination.write(line)
      },
    }
  }

  /** @returns the lines behind the one of that number, the oldest first */
  after(number: number): TailLine[] {
    const lines = [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)]
    return lines.filter((line) => line.number > number)
  }

  #note(line: string): void {
    this.#lines[this.#next] = { number: ++this.#number, text: line.trimEnd().slice(0, MOST_CHARACTERS) }
    this.#next = (this.#next + 1) % MOST_LINES
  }
}
