import type { Bus } from '../bus/bus.ts'
import { NodeChannel } from '../bus/node-channel.ts'
import type { Log } from '../log.ts'

/** The app whose classes have changed; null: apps themselves have changed, their keys or settings. */
interface News {
  readonly classesOf: string | null
}

export interface AppNewsOptions {
  readonly bus: Bus
  readonly alone: boolean
  /** Reads the apps anew. */
  readonly readApps: () => Promise<void>
  /** Reads the classes of an app anew, if it is in use here. */
  readonly readClasses: (appId: string) => Promise<void>
  readonly log: Log
}

/**
 * What nodes say to each other of apps: each then reads anew what has changed. A node that hears nobody finds out by looking
 * every few seconds (server.ts).
 */
export class AppNews {
  readonly #channel: NodeChannel<News>
  readonly #readApps: () => void
  readonly #options: AppNewsOptions
  readonly #readers = new Map<string, () => void>()

  constructor(options: AppNewsOptions) {
    this.#options = options
    this.#readApps = this.#inTurn(options.readApps)
    const { bus, alone, log } = options
    this.#channel = new NodeChannel({ bus, alone, log, topic: 'apps', heard: (news) => this.#hear(news) })
  }

  /** Says to the others that this node has changed apps, and committed that. */
  publishApps(): void {
    this.#channel.publish({ classesOf: null })
  }

  publishClasses(appId: string): void {
    this.#channel.publish({ classesOf: appId })
  }

  /** An app that exists no more. */
  forget(appId: string): void {
    this.#readers.delete(appId)
  }

  stop(): void {
    this.#channel.stop()
  }

  #hear({ classesOf }: News): void {
    if (classesOf === null) this.#readApps()
    else this.#readerOf(classesOf)()
  }

  #readerOf(classesOf: string): () => void {
    let read = this.#readers.get(classesOf)
    if (!read) {
      read = this.#inTurn(() => this.#options.readClasses(classesOf))
      this.#readers.set(classesOf, read)
    }
    return read
  }

  /** What does the work, and once more after that when it was called meanwhile: many changes are read together. */
  #inTurn(work: () => Promise<void>): () => void {
    let running = false
    let again = false
    const run = async () => {
      running = true
      do {
        again = false
        await work().catch((error: Error) =>
          this.#options.log.debug({ error: error.message }, 'reading changes of other nodes failed'),
        )
      } while (again)
      running = false
    }
    return () => {
      again = true
      if (!running) void run()
    }
  }
}
