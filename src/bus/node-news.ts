import { randomUUID } from 'node:crypto'
import type { Log } from '../log.ts'
import type { Bus } from './bus.ts'
import { partsOf, type TextPart, TextParts } from './text-parts.ts'

export interface NodeNewsOptions<News> {
  readonly bus: Bus
  readonly topic: string
  /** There are no other nodes to tell. */
  readonly alone: boolean
  /** Called with what another node tells. */
  readonly heard: (news: News) => void
  /** Called when other nodes could not be told: they have missed something. */
  readonly failed?: () => void
  readonly log: Log
}

/** What nodes tell each other about one topic: plain data of any length, in the order in which it is told. */
export class NodeNews<News extends object> {
  readonly #options: NodeNewsOptions<News>
  readonly #node = randomUUID()
  readonly #parts = new TextParts()
  readonly #unsubscribe: () => void

  constructor(options: NodeNewsOptions<News>) {
    this.#options = options
    this.#unsubscribe = options.bus.subscribe(options.topic, (text) => this.#hear(text))
  }

  /** Tells the other nodes; this one has to see to itself. */
  tell(news: News): void {
    const { alone, bus, topic, failed, log } = this.#options
    if (alone) return
    for (const text of partsOf(this.#node, JSON.stringify({ node: this.#node, ...news }))) {
      bus.publish(topic, text).catch((error: Error) => {
        failed?.()
        log.debug({ component: 'bus', topic, error: error.message }, 'other nodes could not be told')
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
