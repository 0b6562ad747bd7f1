import { Sequence } from '../../scheduling/sequence.ts'
import type { SessionEvent, Unread } from '../events.ts'
import type { Messaging } from '../messaging.ts'
import type { ClientSession } from '../presence.ts'
import { countsOf } from './unread.ts'

/** How often conversations are counted again in which something happens all the time. */
const MAX_ROUNDS = 5
/** A message that was counted is delivered so much later at most. */
const MAX_TRANSIT_MS = 30_000

/** What is unread, and since when that is so, in milliseconds. */
interface Count {
  readonly at: number
  readonly conversations: readonly Unread[]
}

/**
 * Notifies a client that logs in of what is unread, while messages go on arriving. A client takes the count that it gets and
 * adds one for each message after that. So a message must not be counted and come later too, nor come before a count that
 * it is not part of. Which it is says its place in the conversation: a count holds everything up to the last message that
 * is sent with it, as both are read in one statement.
 */
export class UnreadAtLogin {
  readonly #messaging: Messaging
  readonly #session: ClientSession
  /** In conversations that were counted, the time of the last message that the client knows to be counted. */
  readonly #counted = new Map<string, number>()
  /**
   * In each conversation, the time of the last message that came while it is being counted, infinite where the client got
   * another count; null: nothing is being counted.
   */
  #arrived: Map<string, number> | null = new Map()
  readonly #counts = new Sequence()
  /** `heed` has to be called. A field, because it is read for each event of each session. */
  isCounting = true

  /** @param session has been sent nothing yet, or what `heed` has been called with */
  constructor(messaging: Messaging, session: ClientSession) {
    this.#messaging = messaging
    this.#session = session
  }

  /** Notifies of what is unread: only what has changed since a time, in milliseconds; null for everything. */
  begin(since: number | null): Promise<void> {
    const { clientId, principal } = this.#session
    return this.#notify(() => this.#messaging.missed.unread({ clientId, unreadSince: since }, principal))
  }

  /** To be called instead of `begin` when nothing is unread. */
  end(): void {
    this.#arrived = null
    this.#noteState()
  }

  /**
   * To be called with what the session has been sent, from the moment on in which it can be sent anything, while
   * `isCounting`.
   */
  heed(event: SessionEvent): void {
    if (event.kind === 'unread') this.#heedCounts(event.conversations)
    else if (event.kind === 'message' && !event.transient && event.conversation !== 'room') this.#heedMessage(event)
  }

  #heedCounts(conversations: readonly Unread[]): void {
    for (const { convId } of conversations) {
      this.#arrived?.set(convId, Number.POSITIVE_INFINITY)
      this.#counted.delete(convId)
    }
  }

  #heedMessage({ message, conversation }: Extract<SessionEvent, { kind: 'message' }>): void {
    const { convId, sender, ts } = message
    // Clients do not count what they have written themselves.
    if (sender === this.#session.clientId) return
    this.#arrived?.set(convId, Math.max(ts, this.#arrived.get(convId) ?? 0))
    // Also while another conversation is counted again. Messages of several senders may come in another order than their
    // times: a later one says nothing of those before it.
    if (ts > (this.#counted.get(convId) ?? 0)) return
    this.#counted.delete(convId)
    // It was counted, and the client has counted it once more.
    void this.#countAgain({ convId, kind: conversation })
  }

  async #countAgain(conversation: Pick<Unread, 'convId' | 'kind'>): Promise<void> {
    try {
      await this.#notify(async () => ({ at: Date.now(), conversations: await this.#statesOf([conversation]) }))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#messaging.log.warn({ error: reason }, 'sending corrected unread count failed')
    }
  }

  #notify(read: () => Promise<Count>): Promise<void> {
    this.#arrived ??= new Map()
    this.isCounting = true
    return this.#counts.run(() => this.#notifyCounts(read))
  }

  async #notifyCounts(read: () => Promise<Count>): Promise<void> {
    try {
      // Messages that have come so far are part of the count: they were stored before.
      this.#arrived = new Map()
      const { at, conversations } = await read()
      const current = await this.#brought(conversations)
      if (current.length > 0) this.#session.push({ kind: 'unread', at, conversations: current })
      for (const { convId, last } of current) if (last) this.#counted.set(convId, last.ts)
    } finally {
      this.#arrived = null
      this.#noteState()
    }
    if (this.#counted.size > 0) setTimeout(() => this.#forgetCounted(), MAX_TRANSIT_MS).unref()
  }

  #forgetCounted(): void {
    this.#counted.clear()
    this.#noteState()
  }

  #noteState(): void {
    this.isCounting = this.#arrived !== null || this.#counted.size > 0
  }

  /** Counts again what has changed since it was counted. */
  async #brought(conversations: readonly Unread[]): Promise<readonly Unread[]> {
    let states = conversations
    for (let round = 1; round < MAX_ROUNDS; round++) {
      const stale = states.filter((state) => this.#isStale(state))
      if (stale.length === 0) break
      for (const { convId } of stale) this.#arrived?.delete(convId)
      const counted = new Map((await this.#statesOf(stale)).map((state) => [state.convId, state]))
      states = states.map((state) => counted.get(state.convId) ?? state)
    }
    return states
  }

  /** A message has come that the count does not hold, or another count. */
  #isStale({ convId, last }: Unread): boolean {
    return (this.#arrived?.get(convId) ?? 0) > (last?.ts ?? 0)
  }

  #statesOf(conversations: readonly Pick<Unread, 'convId' | 'kind'>[]): Promise<Unread[]> {
    return countsOf(this.#messaging, this.#session.clientId, conversations)
  }
}
