import { randomUUID } from 'node:crypto'
import type { Log } from '../log.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import type { Bus } from './bus.ts'
import { isTextPart, partsOf, TextParts } from './text-parts.ts'

export interface NodeChannelOptions<Message> {
  readonly bus: Bus
  readonly topic: string
  /** There are no other nodes. */
  readonly alone: boolean
  /** Called with each message of another node. */
  readonly onMessage: (message: Message) => void
  /** Called when a message could not be sent: other nodes have missed it. */
  readonly failed?: () => void
  readonly log: Log
}

/** A channel between all nodes for one topic: plain data of any length, which arrives in the order in which it is sent. */
export class NodeChannel<Message extends object> {
  readonly #options: NodeChannelOptions<Message>
  readonly #node = randomUUID()
  readonly #parts = new TextParts()
  readonly #unsubscribe: () => void

  constructor(options: NodeChannelOptions<Message>) {
    this.#options = options
    this.#unsubscribe = options.bus.subscribe(options.topic, (text) => this.#receive(text))
  }

  /** Sends to the other nodes, not to this one. */
  publish(message: Message): void {
    const { alone, bus, topic, failed, log } = this.#options
    if (alone) return
    for (const text of partsOf(this.#node, JSON.stringify({ node: this.#node, ...message }))) {
      bus.publish(topic, text).catch((error: Error) => {
        failed?.()
        log.debug({ topic, error: error.message }, 'notifying other nodes failed')
      })
    }
  }

  stop(): void {
    this.#unsubscribe()
  }

  /**
   * @returns null while parts are missing, and for texts that no node has sent, such as a reassembled text that is
   *   itself a part
   */
  #reassembled(message: JsonObject): (JsonObject & { readonly node: string }) | null {
    const text = isTextPart(message) ? this.#parts.add(message) : null
    const complete = text === null ? null : parsed(text)
    return complete && complete.node !== this.#node && !('base64' in complete) ? complete : null
  }

  #receive(text: string): void {
    const message = parsed(text)
    // Another program may publish on the same channel.
    if (message === null || message.node === this.#node) return
    const complete = 'base64' in message ? this.#reassembled(message) : message
    if (complete) this.#options.onMessage(complete as unknown as Message)
  }
}

/** @returns null for texts that no node has sent */
function parsed(text: string): (JsonObject & { readonly node: string }) | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && typeof value.node === 'string'
      ? (value as JsonObject & { readonly node: string })
      : null
  } catch {
    return null
  }
}
