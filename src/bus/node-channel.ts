import { randomUUID } from 'node:crypto'
import type { Log } from '../log.ts'
import type { Bus } from './bus.ts'
import { partsOf, type TextPart, TextParts } from './text-parts.ts'

export interface NodeChannelOptions<News> {
  readonly bus: Bus
  readonly topic: string
  /** There are no other nodes. */
  readonly alone: boolean
  /** Called with what another node has sent. */
  readonly heard: (news: News) => void
  /** Called when something could not be sent: other nodes have missed it. */
  readonly failed?: () => void
  readonly log: Log
}

/** A channel between all nodes for one topic: plain data of any length, which arrives in the order in which it is sent. */
export class NodeChannel<News extends object> {
  readonly #options: NodeChannelOptions<News>
  readonly #node = randomUUID()
  readonly #parts = new TextParts()
  readonly #unsubscribe: () => void

  constructor(options: NodeChannelOptions<News>) {
    this.#options = options
    this.#unsubscribe = options.bus.subscribe(options.topic, (text) => this.#hear(text))
  }

  /** Sends to the other nodes; this one has to see to itself. */
  publish(news: News): void {
    const { alone, bus, topic, failed, log } = this.#options
    if (alone) return
    for (const text of partsOf(this.#node, JSON.stringify({ node: this.#node, ...news }))) {
      bus.publish(topic, text).catch((error: Error) => {
        failed?.()
        log.debug({ topic, error: error.message }, 'other nodes could not be told')
      })
    }
  }

  stop(): void {
    this.#unsubscribe()
  }

  #hear(text: string): void {
    const news = JSON.parse(text) as (News & { readonly node: string }) | TextPart
    if (news.node === this.#node) return
    if ('base64' in news) {
      const whole = this.#parts.add(news as TextPart)
      if (whole !== null) this.#hear(whole)
    } else this.#options.heard(news)
  }
}
