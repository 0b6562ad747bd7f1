/**
 * Lets what is asked at the same time be answered in the order in which it was asked, however long each takes. SDKs write
 * what an answer says over what they know: one that was read before a change must not come behind one that was read after
 * it.
 */
export class AnswersInOrder {
  /** When the last of them was there. Not the answer: it would be kept. */
  #last: Promise<void> = Promise.resolve()

  /** @returns what the answer becomes, once those before it are there or have failed */
  next<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const inOrder = Promise.allSettled([this.#last, answer]).then(() => answer)
    const over = () => {}
    this.#last = inOrder.then(over, over)
    return inOrder
  }
}
