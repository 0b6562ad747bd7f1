/**
 * Characters of all texts that are prepared at a time. PostgreSQL keeps about 100 bytes for each of them, on every
 * connection that has met the statement.
 */
const BUDGET = 128 * 1024

/** An app may have half of it, so that its statements never push out all of the others'. */
const SHARE = BUDGET / 2

/** Longer texts are conditions of somebody's own making; parsing them again is the smaller cost. */
const LONGEST = 4096

/** Texts that were met once and are not prepared before they are met again. */
const MAX_MET = 2000

/** Characters that a connection may have prepared in its life, those included that were pushed out since. */
const CONNECTION_BUDGET = 2 * BUDGET

interface Entry {
  readonly name: string
  readonly text: string
  readonly owner: string
  /** Whether it was used since it was last considered for being pushed out. */
  used: boolean
}

/** Counts what each connection has prepared. */
export class ConnectionStatements {
  readonly #of = new WeakMap<object, { readonly names: Set<string>; size: number }>()

  /**
   * Notes that a connection runs a prepared statement.
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
 * Which statements are prepared, and under which names. Texts come from the conditions that clients make up, so there can
 * be any number of them: those that were not used lately make room for new ones, and an app that uses many pushes out
 * its own.
 */
export class PreparedStatements {
  readonly #entries = new Map<string, Entry>()
  readonly #met = new Set<string>()
  readonly #sizes = new Map<string, number>()
  #size = 0
  #names = 0

  /**
   * Returns the name under which to run a statement; undefined when it is not to be prepared.
   * @param app charged for the memory that it takes, `''` for the server
   */
  nameOf(text: string, app: string): string | undefined {
    const known = this.#entries.get(text)
    if (known) {
      known.used = true
      return known.name
    }
    if (text.length > LONGEST || !this.#wasMet(text)) return undefined
    return this.#add(text, app).name
  }

  /** Characters of the texts that are prepared. */
  get size(): number {
    return this.#size
  }

  #wasMet(text: string): boolean {
    if (this.#met.delete(text)) return true
    if (this.#met.size >= MAX_MET) this.#met.clear()
    this.#met.add(text)
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

  /** Removes the first that was not used since the last time; the others get another round. */
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
