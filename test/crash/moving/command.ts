import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ADMIN_TOKEN, MASTER_KEY } from './moving-server.ts'

/** A copy compiled to another directory sets the path of the program. */
const MAIN = process.env.HOMEPORT_TEST_PROGRAM ?? fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** A running `homeport import` or `homeport pull`. */
export class Command {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #words = ''

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...process.env, HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN, HOMEPORT_SOURCE_MASTER_KEY: MASTER_KEY },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#ended = once(this.#child, 'close')
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on('data', (chunk: Buffer) => {
        this.#words = (this.#words + chunk.toString()).slice(-4000)
      })
  }

  /** The last output. */
  get words(): string {
    return this.#words
  }

  /**
   * Resolves after so many milliseconds, or earlier when the command exits.
   * @returns whether it still runs
   */
  async runFor(milliseconds: number): Promise<boolean> {
    const over = new AbortController()
    const late = sleep(milliseconds, true, { signal: over.signal }).catch(() => false)
    const runs = await Promise.race([late, this.#ended.then(() => false)])
    over.abort()
    return runs
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  /** @returns the exit code */
  async end(): Promise<number | null> {
    await this.#ended
    return this.#child.exitCode
  }
}

/** Returns the parts of a report that do not depend on the number of kills. */
export async function reportIn(folder: string): Promise<unknown> {
  const { counts, objectsHere, notes, notUnderstood, rejected } = JSON.parse(
    await readFile(join(folder, 'report.json'), 'utf8'),
  )
  return { counts, objectsHere, notes, notUnderstood, rejected }
}
