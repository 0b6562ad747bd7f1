/** An event emitter of a client. */
export interface Emitter {
  on(event: string, listener: (...args: never[]) => void): unknown
  off(event: string, listener: (...args: never[]) => void): unknown
}

interface Refusal {
  readonly code: number | undefined
  readonly message: string
}

/** Returns helpers for every case. The function is serialized like the cases, so it can use only the language. */
export function makeTools() {
  /**
   * Returns the rejection of a promise. Promises of the oldest clients treat the return value of a failure handler as a failure,
   * so `catch()` is not usable.
   */
  const refusalOf = async (running: PromiseLike<unknown>): Promise<Refusal | null> => {
    try {
      await running
      return null
    } catch (error) {
      const { code, message } = error as Refusal
      return { code, message }
    }
  }
  /** Returns the error code of a rejection; null on success. */
  const codeOf = async (running: PromiseLike<unknown>) => (await refusalOf(running))?.code ?? null
  /** Resolves with the arguments of the next matching event. */
  const next = (emitter: Emitter, event: string, fits: (...args: never[]) => boolean = () => true) =>
    // biome-ignore lint/suspicious/noExplicitAny: what an event brings differs from event to event
    new Promise<any[]>((resolve) => {
      const listener = (...args: never[]) => {
        if (!fits(...args)) return
        emitter.off(event, listener)
        resolve(args)
      }
      emitter.on(event, listener)
    })
  /** Polls until the result matches; returns the last result when it never does. */
  const until = async <Answer>(request: () => PromiseLike<Answer> | Answer, fits: (answer: Answer) => boolean) => {
    const end = Date.now() + 10_000
    for (;;) {
      const answer = await request()
      if (fits(answer) || Date.now() > end) return answer
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  /** Returns deterministic bytes of a given size, equal to those of `bytesFrom` in test/files/source.ts. */
  const bytes = (size: number) => {
    const made = new Uint8Array(size)
    for (let index = 0; index < size; index++) made[index] = (index * 31 + (index >> 8)) & 0xff
    return made
  }
  return { refusalOf, codeOf, next, until, bytes }
}

export type Tools = ReturnType<typeof makeTools>
