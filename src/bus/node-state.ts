/** The directory entries of one node for one app. */
export class NodeState {
  /** The clients that are online on the node. */
  readonly clients = new Set<string>()
  /** Numbers by their key; a missing key counts as 0. */
  readonly counts = new Map<string, number>()
  /** Members of groups, an entry per group and member. */
  readonly members = new Set<string>()
  /** Holders by the claimed name. */
  readonly claims = new Map<string, string>()

  get empty(): boolean {
    return [this.clients, this.counts, this.members, this.claims].every(({ size }) => size === 0)
  }

  setCount(key: string, count: number): void {
    if (count === 0) this.counts.delete(key)
    else this.counts.set(key, count)
  }

  /** @returns the previous holder; null when there was none or it was this one */
  claim(name: string, holder: string): string | null {
    const before = this.claims.get(name)
    this.claims.set(name, holder)
    return before === undefined || before === holder ? null : before
  }

  release(name: string, holder: string): void {
    if (this.claims.get(name) === holder) this.claims.delete(name)
  }
}
