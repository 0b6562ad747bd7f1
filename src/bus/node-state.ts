/** What one node says of one app. */
export class NodeState {
  /** The clients that are online on the node. */
  readonly clients = new Set<string>()
  /** Numbers by their key; a key that is not there stands for 0. */
  readonly counts = new Map<string, number>()
  /** Who is in which group, an entry for each. */
  readonly members = new Set<string>()
  /** Holders by the name they have. */
  readonly claims = new Map<string, string>()

  get empty(): boolean {
    return [this.clients, this.counts, this.members, this.claims].every(({ size }) => size === 0)
  }

  setCount(key: string, count: number): void {
    if (count === 0) this.counts.delete(key)
    else this.counts.set(key, count)
  }

  /** @returns the holder before; null when there was none or it was this one */
  claim(name: string, holder: string): string | null {
    const before = this.claims.get(name)
    this.claims.set(name, holder)
    return before === undefined || before === holder ? null : before
  }

  release(name: string, holder: string): void {
    if (this.claims.get(name) === holder) this.claims.delete(name)
  }
}
