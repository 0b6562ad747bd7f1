/** Collects the first distinct texts after `after`, in order, from any number of texts, with bounded memory. */
export class FirstTexts {
  readonly #after: string
  readonly #limit: number
  #kept: string[] = []
  /** Texts after this one cannot be among the first. */
  #last: string | null = null

  constructor(after: string, limit: number) {
    this.#after = after
    this.#limit = limit
  }

  add(text: string): void {
    if (text <= this.#after || (this.#last !== null && text >= this.#last)) return
    this.#kept.push(text)
    if (this.#kept.length >= 4 * this.#limit) this.#drop()
  }

  take(): string[] {
    this.#drop()
    return this.#kept
  }

  #drop(): void {
    this.#kept = [...new Set(this.#kept)].sort(inOrder).slice(0, this.#limit)
    if (this.#kept.length === this.#limit) this.#last = this.#kept.at(-1)!
  }
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
