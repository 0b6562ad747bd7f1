/**
 * Maximum characters of all prepared texts at a time. PostgreSQL keeps about 100 bytes for each character, on every connection
 * that has run the statement.
 */
const BUDGET = 128 * 1024

/** Maximum for one app, half of the budget, so that its statements never evict all those of other apps. */
const SHARE = BUDGET / 2

/** Maximum characters of a prepared text. Longer ones are conditions unique to one caller, and parsing them again costs less. */
const LONGEST = 4096

/** Maximum texts remembered after their first use. A text is prepared at its second use. */
const MAX_SEEN_TEXTS = 2000

/** Maximum characters that a connection prepares in its lifetime, including statements evicted since. */
const CONNECTION_BUDGET = 2 * BUDGET

interface Entry {
  readonly name: string
  readonly text: string
  readonly owner: string
  /** Whether it was used since it was last considered for eviction. */
  used: boolean
}

/** Counts the characters that each connection has prepared. */
export class ConnectionStatements {
  readonly #of = new WeakMap<object, { readonly names: Set<string>; size: number }>()

  /**
   * Records that a connection runs a prepared statement.
   * @returns whether it has prepared so much that it must be closed, which is how PostgreSQL frees the memory
   */
  note(connection: object, name: string, text: string): boolean {
    let statements = this.#of.get(connection)
    if (!statements) {
      statements = { names: new Set(), size: 0 }
      this.#of.set(connection, statements)
    }
    if (!statements.names.has(name)) {
      statements.names.add(name)
      statements.size += text.length
    }
    return statements.size > CONNECTION_BUDGET
  }
}

/**
 * Decides which statements are prepared, and under which names. Texts result from clients' conditions, so their number is
 * unbounded: statements not used recently are evicted for new ones, and an app that uses many evicts its own.
 */
export class PreparedStatements {
  readonly #entries = new Map<string, Entry>()
  readonly #seen = new Set<string>()
  readonly #sizes = new Map<string, number>()
  #size = 0
  #names = 0

  /**
   * Returns the name under which to run a statement; undefined when it is not prepared.
   * @param app charged for the memory of the statement, `''` for the server
   */
  nameOf(text: string, app: string): string | undefined {
    const known = this.#entries.get(text)
    if (known) {
      known.used = true
      return known.name
    }
    if (text.length > LONGEST || !this.#wasSeen(text)) return undefined
    return this.#add(text, app).name
  }

  /** The number of characters of all prepared texts. */
  get size(): number {
    return this.#size
  }

  #wasSeen(text: string): boolean {
    if (this.#seen.delete(text)) return true
    if (this.#seen.size >= MAX_SEEN_TEXTS) this.#seen.clear()
    this.#seen.add(text)
    return false
  }

  #add(text: string, owner: string): Entry {
    while ((this.#sizes.get(owner) ?? 0) + text.length > SHARE) this.#pushOut(owner)
    while (this.#size + text.length > BUDGET) this.#pushOut(null)
    const entry: Entry = { name: `h${this.#names++}`, text, owner, used: false }
    this.#entries.set(text, entry)
    this.#count(owner, text.length)
    return entry
  }

  /** Evicts the first statement that was not used since it was last considered; used ones get another round. */
  #pushOut(owner: string | null): void {
    for (const entry of this.#entries.values()) {
      if (owner !== null && entry.owner !== owner) continue
      this.#entries.delete(entry.text)
      if (!entry.used) {
        this.#count(entry.owner, -entry.text.length)
        return
      }
      entry.used = false
      this.#entries.set(entry.text, entry)
    }
  }

  #count(owner: string, change: number): void {
    this.#size += change
    const size = (this.#sizes.get(owner) ?? 0) + change
    if (size > 0) this.#sizes.set(owner, size)
    else this.#sizes.delete(owner)
  }
}
