import type { BatchOutcome } from '../../import/batch.ts'
import { sendProgress } from '../parent-server.ts'
import { printable } from '../printable.ts'

/** Milliseconds between two progress updates, on a terminal and in a log. */
const PAUSE = { terminal: 200, log: 10_000 }

interface Phase {
  /** Number of records of the source; null: unknown. */
  readonly total: number | null
  readonly began: number
  taken: number
}

/** Reports the progress of a pull: a changing line on a terminal, otherwise a line from time to time. */
export class PullProgress {
  readonly #isTerminal = process.stderr.isTTY === true
  readonly #phases = new Map<string, Phase>()
  #last = performance.now()
  #isShown = false
  #records = 0
  #rejected = 0
  #followedAt: string | undefined

  /** Starts a part of the source. @param total its number of records; null when unknown */
  begin(name: string, total: number | null): void {
    this.#phases.set(name, { total, began: performance.now(), taken: 0 })
    this.#report(name, 0, total)
  }

  /** Marks the first transfer as complete. From now on the source is checked for changes. */
  follow(): void {
    this.#followedAt = new Date().toISOString()
    this.#report(null, 0, null)
  }

  onBatch(name: string, { counts }: BatchOutcome): void {
    this.#rejected += counts.rejected
    this.onTaken(name, counts.read)
  }

  onTaken(name: string, count: number): void {
    const phase = this.#phases.get(name)
    if (!phase) return
    phase.taken += count
    this.#records += count
    this.#report(name, phase.taken, phase.total)
    if (performance.now() - this.#last < (this.#isTerminal ? PAUSE.terminal : PAUSE.log)) return
    this.#last = performance.now()
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${textOf(name, phase)}` : `homeport: ${textOf(name, phase)}\n`)
    this.#isShown = true
  }

  #report(part: string | null, done: number, total: number | null): void {
    sendProgress({ part, done, total, records: this.#records, rejected: this.#rejected, followedAt: this.#followedAt })
  }

  /** Writes a permanent line. */
  say(line: string): void {
    this.end()
    process.stderr.write(`homeport: ${printable(line)}\n`)
  }

  /** Ends the progress line, so that other output can follow. */
  end(): void {
    if (this.#isShown && this.#isTerminal) process.stderr.write('\n')
    this.#isShown = false
  }
}

function textOf(name: string, { total, began, taken }: Phase): string {
  const seconds = (performance.now() - began) / 1000
  const rate = taken / seconds
  const left = total !== null && rate > 0 && total > taken ? [`${inWords((total - taken) / rate)} left`] : []
  return [`${name}: ${taken}${total === null ? '' : ` of ${total}`}`, `${Math.round(rate)}/s`, ...left].join(', ')
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}
