import { RE2JS } from 're2js'

/** Maximum bytes of an expression's cache of states; the default is 8 MB. */
const MEMORY_OF_ONE = 128 * 1024

export interface Bounds {
  /** Maximum number of expressions kept. */
  readonly size: number
  /** Maximum parts of all of them together; each part takes up to 500 bytes. */
  readonly parts: number
}

/**
 * A cache of compiled expressions by their text. The least recently used are evicted and compiled again when needed, because
 * those of a hundred thousand live queries would not fit into memory.
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
   * Returns the compiled form of an expression.
   * @param parts the size of the expression
   * @throws RE2JSSyntaxException when it repeats more than the engine allows
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
  // The memory limit has no public option, only these public members.
  const { dfa } = expression.re2()
  dfa.stateBudget = MEMORY_OF_ONE
  dfa.memBudget = MEMORY_OF_ONE
  return expression
}
