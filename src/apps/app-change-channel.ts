import type { Bus } from '../bus/bus.ts'
import { NodeChannel } from '../bus/node-channel.ts'
import type { Log } from '../log.ts'

/** The app whose classes have changed; null: apps, their keys or their settings have changed. */
interface AppChange {
  readonly classesOf: string | null
}

export interface AppChangeChannelOptions {
  readonly bus: Bus
  readonly alone: boolean
  /** Reloads the apps. */
  readonly readApps: () => Promise<void>
  /** Reloads the classes of an app, if it is in use on this node. */
  readonly readClasses: (appId: string) => Promise<void>
  readonly log: Log
}

/**
 * Notifies nodes of changes to apps and classes; each node then reloads what has changed. A node that receives no
 * messages polls every few seconds (server.ts).
 */
export class AppChangeChannel {
  readonly #channel: NodeChannel<AppChange>
  readonly #readApps: () => void
  readonly #options: AppChangeChannelOptions
  readonly #readers = new Map<string, () => void>()

  constructor(options: AppChangeChannelOptions) {
    this.#options = options
    this.#readApps = this.#serialized(options.readApps)
    const { bus, alone, log } = options
    this.#channel = new NodeChannel({ bus, alone, log, topic: 'apps', onMessage: (change) => this.#onChange(change) })
  }

  /** Notifies the other nodes that this node has changed apps. Call it after the commit. */
  publishApps(): void {
    this.#channel.publish({ classesOf: null })
  }

  publishClasses(appId: string): void {
    this.#channel.publish({ classesOf: appId })
  }

  /** Drops the state of a deleted app. */
  forget(appId: string): void {
    this.#readers.delete(appId)
  }

  stop(): void {
    this.#channel.stop()
  }

  #onChange({ classesOf }: AppChange): void {
    if (classesOf === null) this.#readApps()
    else this.#readerOf(classesOf)()
  }

  #readerOf(classesOf: string): () => void {
    let read = this.#readers.get(classesOf)
    if (!read) {
      read = this.#serialized(() => this.#options.readClasses(classesOf))
      this.#readers.set(classesOf, read)
    }
    return read
  }

  /**
   * Returns a function that runs the work, and runs it once more if it was called meanwhile, so that many changes are
   * read together.
   */
  #serialized(work: () => Promise<void>): () => void {
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
