import type { BatchOutcome } from '../../import/batch.ts'
import { sendProgress } from '../parent-server.ts'
import { printable } from '../printable.ts'

/** Milliseconds between two lines where they are kept, and between two states of the one that is not. */
const PAUSE = { terminal: 200, log: 10_000 }

interface Phase {
  /** Records that the source has; null: it does not say it. */
  readonly total: number | null
  readonly began: number
  taken: number
}

/** Tells how far a pull is: a line that changes on a terminal, now and then a line elsewhere. */
export class PullProgress {
  readonly #isTerminal = process.stderr.isTTY === true
  readonly #phases = new Map<string, Phase>()
  #last = performance.now()
  #isShown = false
  #records = 0
  #rejected = 0
  #followedAt: string | undefined

  /** A part of the source begins. @param total its records; null where that is not known */
  begin(name: string, total: number | null): void {
    this.#phases.set(name, { total, began: performance.now(), taken: 0 })
    this.#tell(name, 0, total)
  }

  /** Everything has come, and what is new is looked for now and then. */
  follow(): void {
    this.#followedAt = new Date().toISOString()
    this.#tell(null, 0, null)
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
    this.#tell(name, phase.taken, phase.total)
    if (performance.now() - this.#last < (this.#isTerminal ? PAUSE.terminal : PAUSE.log)) return
    this.#last = performance.now()
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${textOf(name, phase)}` : `homeport: ${textOf(name, phase)}\n`)
    this.#isShown = true
  }

  #tell(part: string | null, done: number, total: number | null): void {
    sendProgress({ part, done, total, records: this.#records, rejected: this.#rejected, followedAt: this.#followedAt })
  }

  /** Writes a line that stays. */
  say(line: string): void {
    this.end()
    process.stderr.write(`homeport: ${printable(line)}\n`)
  }

  /** Leaves the line, so that others can follow. */
  end(): void {
    if (this.#isShown && this.#isTerminal) process.stderr.write('\n')
    this.#isShown = false
  }
}

function textOf(name: string, { total, began, taken }: Phase): string {
  const seconds = (performance.now() - began) / 1000
  const rate = taken / seconds
  const left = total !== null && rate > 0 && total > taken ? [`${inWords((total - taken) / rate)} left`] : []
  return [`${name}: ${taken}${total === null ? '' : ` of ${total}`}`, `${Math.round(rate)} a second`, ...left].join(
    ', ',
  )
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}
