/** Keeps the order in which things begin where some have to wait before they do. */
export class Turns {
  #last: Promise<void> | undefined

  /**
   * @param admission what this one has to wait for
   * @returns when it may begin: not before those that came earlier. Nothing when that is now.
   * @throws what the admission throws, by the promise; those that come later begin all the same
   */
  wait(admission: Promise<void> | void): Promise<void> | void {
    const before = this.#last
    if (!admission) return before
    const turn = before ? Promise.all([before, admission]).then(() => {}) : admission
    const last = turn.catch(() => {})
    this.#last = last
    void last.then(() => {
      if (this.#last === last) this.#last = undefined
    })
    return turn
  }
}
