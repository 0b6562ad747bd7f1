import { RE2JS } from 're2js'

/** What the engine remembers of the texts it has seen, in bytes for each expression: it would be 8 MB. */
const MEMORY_OF_ONE = 128 * 1024

export interface Bounds {
  /** Expressions that are kept. */
  readonly size: number
  /** Parts of all of them together; each takes up to 500 bytes. */
  readonly parts: number
}

/**
 * Compiled expressions by their text; of those that were not used for the longest time some are compiled again. A
 * hundred thousand live queries would take more memory than there is.
 */
export class CompiledPatterns {
  readonly #bounds: Bounds
  readonly #known = new Map<string, { readonly expression: RE2JS; readonly parts: number }>()
  #parts = 0

  constructor(bounds: Bounds = { size: 256, parts: 100_000 }) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#known.size
  }

  /**
   * The compiled form of an expression.
   * @param parts how large it is
   * @throws RE2JSSyntaxException when it repeats more than the engine takes
   */
  get(source: string, parts: number): RE2JS {
    const entry = this.#known.get(source) ?? { expression: compile(source), parts }
    if (this.#known.delete(source)) this.#parts -= entry.parts
    this.#known.set(source, entry)
    this.#parts += entry.parts
    for (const [oldest, { parts }] of this.#known) {
      if (this.#known.size <= this.#bounds.size && this.#parts <= this.#bounds.parts) break
      if (oldest === source) break
      this.#known.delete(oldest)
      this.#parts -= parts
    }
    return entry.expression
  }
}

function compile(source: string): RE2JS {
  const expression = RE2JS.compile(source)
  // Its public members say how much memory it may use, but not how to give it less from the outset.
  const { dfa } = expression.re2()
  dfa.stateBudget = MEMORY_OF_ONE
  dfa.memBudget = MEMORY_OF_ONE
  return expression
}
