import { Sequence } from '../../scheduling/sequence.ts'
import type { SessionEvent, Unread } from '../events.ts'
import type { Messaging } from '../messaging.ts'
import type { ClientSession } from '../presence.ts'
import { countsOf } from './unread.ts'

/** Maximum number of counts of conversations that continuously receive messages. */
const MAX_ROUNDS = 5
/**
 * Delay before a conversation is counted again whose messages arrived faster than it could be counted. It doubles each time, so
 * that a flood of messages does not become a flood of counts. Milliseconds.
 */
const RECOUNT_DELAY_MS = { first: 1000, max: 60_000 }
/** The maximum delay between counting a message and delivering it. */
const MAX_TRANSIT_MS = 30_000

/** Unread states, with the time of the count in milliseconds. */
interface Count {
  readonly at: number
  readonly conversations: readonly Unread[]
}

/**
 * Sends the unread counts to a client that logs in while messages keep arriving. Clients take the count that they receive and add
 * one for each later message. So a message must not be counted and then delivered, nor be delivered before a count that does not
 * include it. The position of the message in the conversation decides which: a count includes everything up to the last message
 * that is sent with it, because one statement reads both.
 */
export class UnreadAtLogin {
  readonly #messaging: Messaging
  readonly #session: ClientSession
  /** For counted conversations, the time of the last message that the count included. */
  readonly #counted = new Map<string, number>()
  /**
   * For each conversation, the time of the last message that arrived during the count, infinite if the client got another count;
   * null while nothing is being counted.
   */
  #arrived: Map<string, number> | null = new Map()
  readonly #counts = new Sequence()
  /** Conversations whose last count was outdated when it was sent: at most one recount waits for each. */
  readonly #recounts = new Map<string, { readonly delay: number; isWaiting: boolean }>()
  /** Whether `heed` must be called. A field, because it is read for each event of each session. */
  isCounting = true

  /** @param session has not been sent any events, except those passed to `heed` */
  constructor(messaging: Messaging, session: ClientSession) {
    this.#messaging = messaging
    this.#session = session
  }

  /** Sends the unread counts: those that have changed since a time, in milliseconds; null for all. */
  begin(since: number | null): Promise<void> {
    const { clientId, principal } = this.#session
    return this.#notify(() => this.#messaging.missed.unread({ clientId, unreadSince: since }, principal))
  }

  /** Ends the counting; called instead of `begin` when nothing is unread. */
  end(): void {
    this.#arrived = null
    this.#noteState()
  }

  /**
   * Takes note of an event that the session was sent. Must be called for all its events from the beginning, while `isCounting`.
   */
  observe(event: SessionEvent): void {
    if (event.kind === 'unread') this.#noteCounts(event.conversations)
    else if (event.kind === 'message' && !event.transient && event.conversation !== 'room') this.#noteMessage(event)
  }

  #noteCounts(conversations: readonly Unread[]): void {
    for (const { convId } of conversations) {
      this.#arrived?.set(convId, Number.POSITIVE_INFINITY)
      this.#counted.delete(convId)
    }
  }

  #noteMessage({ message, conversation }: Extract<SessionEvent, { kind: 'message' }>): void {
    const { convId, sender, ts } = message
    // Clients do not count their own messages.
    if (sender === this.#session.clientId) return
    this.#arrived?.set(convId, Math.max(ts, this.#arrived.get(convId) ?? 0))
    // Applies even while another conversation is counted again. Messages of several senders may arrive out of order: a later
    // message does not mean that the earlier ones have arrived.
    if (ts > (this.#counted.get(convId) ?? 0)) return
    this.#counted.delete(convId)
    // The message was counted, and the client has now counted it twice.
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

  /** Corrects a count that is sent although messages arrived after it: it would stay too low once the conversation is quiet. */
  #countLater({ convId, kind }: Unread): void {
    const last = this.#recounts.get(convId)
    if (last?.isWaiting) return
    const { first, max } = RECOUNT_DELAY_MS
    const recount = { delay: last ? Math.min(2 * last.delay, max) : first, isWaiting: true }
    this.#recounts.set(convId, recount)
    setTimeout(() => {
      recount.isWaiting = false
      void this.#countAgain({ convId, kind })
    }, recount.delay).unref()
  }

  #notify(read: () => Promise<Count>): Promise<void> {
    this.#arrived ??= new Map()
    this.isCounting = true
    return this.#counts.run(() => this.#notifyCounts(read))
  }

  async #notifyCounts(read: () => Promise<Count>): Promise<void> {
    try {
      // Messages that have arrived so far are included in the count: they were stored before.
      this.#arrived = new Map()
      const { at, conversations } = await read()
      const current = await this.#withCounts(conversations)
      for (const state of current) {
        if (this.#isStale(state)) this.#countLater(state)
        else if (!this.#recounts.get(state.convId)?.isWaiting) this.#recounts.delete(state.convId)
      }
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

  /** Counts conversations again that have changed since their count. */
  async #withCounts(conversations: readonly Unread[]): Promise<readonly Unread[]> {
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

  /** Returns whether a message that the count does not include, or another count, has arrived. */
  #isStale({ convId, last }: Unread): boolean {
    return (this.#arrived?.get(convId) ?? 0) > (last?.ts ?? 0)
  }

  #statesOf(conversations: readonly Pick<Unread, 'convId' | 'kind'>[]): Promise<Unread[]> {
    return countsOf(this.#messaging, this.#session.clientId, conversations)
  }
}
