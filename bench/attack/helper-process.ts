import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process of attackers or honest clients that executes orders and replies with one message each. */
export class HelperProcess {
  readonly #child: ChildProcess

  /** @param nice its nice level; below 0 only where permitted */
  constructor(module: URL, nice: number) {
    this.#child = fork(module, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    try {
      setPriority(this.#child.pid!, nice)
    } catch {
      // The nice level only improves fairness.
    }
  }

  send(order: unknown): void {
    if (this.#child.connected) this.#child.send(order as object)
  }

  /**
   * Sends an order and waits for the reply.
   * @throws Error when the process exits, or does not reply for `patience` milliseconds
   */
  async request<Answer>(order: unknown, timeoutMs: number): Promise<Answer> {
    const ended = new AbortController()
    try {
      const answer = once(this.#child, 'message', { signal: ended.signal })
      this.send(order)
      const late = sleep(timeoutMs, null, { signal: ended.signal }).then(() => {
        throw new Error(`a helper process did not answer in ${timeoutMs} ms`)
      })
      const exit = once(this.#child, 'exit', { signal: ended.signal }).then(() => {
        throw new Error('a helper process has ended')
      })
      const losers = [answer, late, exit]
      for (const loser of losers) loser.catch(() => {})
      const [message] = (await Promise.race(losers)) as [Answer]
      return message
    } finally {
      ended.abort()
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exit
  }
}
