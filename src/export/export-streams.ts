import { errors } from '../errors.ts'

/** Archives that are streamed while they are created: each holds a database connection and a snapshot. */
export const MAX_STREAMS = 8
export const MAX_STREAMS_OF_APP = 4

/** Seconds after which a client may retry. */
const RETRY_AFTER = 60

/** Limits concurrent export streams of a node, so that the exports of one app leave connections to other apps. */
export class ExportStreams {
  readonly #ofApp = new Map<string, number>()
  #open = 0

  /**
   * Acquires a slot for an export of an app.
   * @returns releases the slot; further calls have no effect
   * @throws ApiError 429 when the app has reached its maximum, 503 when the node has
   */
  begin(appId: string): () => void {
    const ofApp = this.#ofApp.get(appId) ?? 0
    if (ofApp >= MAX_STREAMS_OF_APP)
      throw errors.tooManyRequests(
        `At most ${MAX_STREAMS_OF_APP} exports of an app can be downloaded at the same time.`,
        RETRY_AFTER,
      )
    if (this.#open >= MAX_STREAMS) throw errors.unavailable()
    this.#ofApp.set(appId, ofApp + 1)
    this.#open++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#open--
      const left = this.#ofApp.get(appId)! - 1
      if (left > 0) this.#ofApp.set(appId, left)
      else this.#ofApp.delete(appId)
    }
  }
}
