/** What a client emits events with. */
export interface Emitter {
  on(event: string, listener: (...args: never[]) => void): unknown
  off(event: string, listener: (...args: never[]) => void): unknown
}

interface Refusal {
  readonly code: number | undefined
  readonly message: string
}

/** What every case has at hand, wherever it runs: like the cases, its text must stand on its own. */
export function makeTools() {
  /** Promises of the oldest clients take what a handler of a failure returns for a failure too: hence no `catch()`. */
  const refusalOf = async (running: PromiseLike<unknown>): Promise<Refusal | null> => {
    try {
      await running
      return null
    } catch (error) {
      const { code, message } = error as Refusal
      return { code, message }
    }
  }
  /** The code with which something is refused; null: it is not. */
  const codeOf = async (running: PromiseLike<unknown>) => (await refusalOf(running))?.code ?? null
  /** The arguments of the next event of a name that fits. */
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
  /** Asks again and again until the answer fits; the last answer, when it never does. */
  const until = async <Answer>(ask: () => PromiseLike<Answer> | Answer, fits: (answer: Answer) => boolean) => {
    const end = Date.now() + 10_000
    for (;;) {
      const answer = await ask()
      if (fits(answer) || Date.now() > end) return answer
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  /** So many bytes, always the same ones: those of `bytesFrom` in test/files/source.ts. */
  const bytes = (size: number) => {
    const made = new Uint8Array(size)
    for (let place = 0; place < size; place++) made[place] = (place * 31 + (place >> 8)) & 0xff
    return made
  }
  return { refusalOf, codeOf, next, until, bytes }
}

export type Tools = ReturnType<typeof makeTools>
