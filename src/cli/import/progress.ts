import type { BatchOutcome } from '../../import/batch.ts'
import { sendProgress } from '../parent-server.ts'

/** Milliseconds between two progress updates, on a terminal and in a log. */
const PAUSE = { terminal: 200, log: 10_000 }
const WIDTH = 24

/** Reports the progress of an import: a changing line on a terminal, otherwise a line from time to time. */
export class Progress {
  readonly #total: number
  readonly #refused: string
  readonly #began = performance.now()
  readonly #isTerminal = process.stderr.isTTY === true
  #read = 0
  #records = 0
  #rejected = 0
  #last = performance.now()
  #isShown = false

  /**
   * @param total bytes of all files
   * @param refused the word for records that are counted separately, such as rejected ones
   */
  constructor(total: number, refused = 'rejected') {
    this.#total = total
    this.#refused = refused
  }

  onRead(bytes: number): void {
    this.#read += bytes
  }

  onBatch({ counts }: Pick<BatchOutcome, 'counts'>): void {
    this.#records += counts.read
    this.#rejected += counts.rejected
    sendProgress({
      part: null,
      done: this.#read,
      total: this.#total,
      records: this.#records,
      rejected: this.#rejected,
    })
    if (performance.now() - this.#last < (this.#isTerminal ? PAUSE.terminal : PAUSE.log)) return
    this.#last = performance.now()
    this.#show()
  }

  /** Ends the progress line, so that other output can follow. */
  end(): void {
    if (this.#isShown && this.#isTerminal) process.stderr.write('\n')
    this.#isShown = false
  }

  #show(): void {
    const seconds = (performance.now() - this.#began) / 1000
    const share = this.#total === 0 ? 1 : Math.min(1, this.#read / this.#total)
    const left = share > 0 ? (seconds / share) * (1 - share) : 0
    const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')
    const text = [
      `${this.#isTerminal ? `[${bar}] ` : ''}${Math.round(share * 100)} %`,
      `${this.#records} ${this.#records === 1 ? 'record' : 'records'}`,
      `${Math.round(this.#records / seconds)}/s`,
      `${inWords(left)} left`,
      ...(this.#rejected > 0 ? [`${this.#rejected} ${this.#refused}`] : []),
    ].join(', ')
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${text}` : `homeport: ${text}\n`)
    this.#isShown = true
  }
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}
