import { setTimeout as sleep } from 'node:timers/promises'
import type { GenericCommand } from '../../../src/realtime-protocol/schema.ts'
import type { Api, Outcome } from './api.ts'
import { ChatClient, isInability } from './chat-client.ts'
import { MessageHistory, RECALLED, type Sent, type StoredConversation } from './message-history.ts'
import type { Random } from './random.ts'

const CONVERSATIONS = 3
const CLIENTS = 4
/** The maximum interval between messages of a client, in milliseconds. */
const PAUSE = 40
/** The number of attempts to send an unacknowledged message. */
const TRIES = 6
/** The maximum time until all members of a conversation receive messages again, in milliseconds. */
const DELIVERY = 15_000
/** The interval between test messages, in milliseconds. */
const NEXT_PROBE = 1000

interface Conversation {
  readonly id: string
  readonly history: MessageHistory
}

/**
 * Clients that exchange messages in separate conversations: they send, resend unacknowledged messages, edit, recall and mark as
 * read; the app's back end sends too. One member stays offline.
 */
export class ChatWriters {
  acknowledged = 0
  /** Messages sent more than once before their acknowledgment. */
  sentAgain = 0
  readonly #api: Api
  readonly #random: Random
  readonly #round: number
  readonly #clients: readonly ChatClient[]
  readonly #conversations: Conversation[] = []
  readonly #running: Promise<void>[] = []
  readonly #marks = new Map<MessageHistory, number>()
  #sequence = 0
  #stopping = false

  private constructor(api: Api, random: Random, round: number) {
    this.#api = api
    this.#random = random
    this.#round = round
    this.#clients = Array.from(
      { length: CLIENTS },
      (_, number) => new ChatClient(`talker ${number} of ${round}`, api.server, api.faults, random.fork()),
    )
  }

  static async start(api: Api, random: Random, round: number): Promise<ChatWriters> {
    const writers = new ChatWriters(api, random, round)
    for (let number = 0; number < CONVERSATIONS; number++) writers.#conversations.push(await writers.#newConversation())
    for (const client of writers.#clients) {
      client.onPush = (command) => writers.#onCommand(client, command)
      await client.opened()
      writers.#run(() => writers.#talk(client))
    }
    writers.#run(() => writers.#mark())
    writers.#run(() => writers.#sendAsApp())
    return writers
  }

  /** Lets all clients finish, then waits until a last message in each conversation has reached all members. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#running)
    for (const client of this.#clients) await client.opened()
    await Promise.all(this.#conversations.map((conversation) => this.#checkDelivery(conversation)))
    for (const { id, history } of this.#conversations) this.#marks.set(history, (await this.#readAt(id)) ?? -1)
    await Promise.all(this.#clients.map((client) => client.stop()))
  }

  /**
   * Returns the conversations with their stored messages.
   * @throws Error when the servers do not respond
   */
  async read(): Promise<{ history: MessageHistory; stored: StoredConversation; reader: string }[]> {
    const reader = this.#reader.id
    return Promise.all(
      this.#conversations.map(async ({ id, history }) => {
        const [messages, absent, read] = await Promise.all([
          this.#messagesOf(id),
          this.#unreadOf(this.#absent, id),
          this.#unreadOf(reader, id),
        ])
        const readAt = this.#marks.get(history)!
        return { history, stored: { messages, unread: { absent, reader: read }, readAt }, reader }
      }),
    )
  }

  /** The client that marks messages as read. */
  get #reader(): ChatClient {
    return this.#clients[0]!
  }

  get #absent(): string {
    return `absent of ${this.#round}`
  }

  #run(round: () => Promise<unknown>): void {
    const loop = async () => {
      while (!this.#stopping) {
        await round()
        await sleep(this.#random.between(0, PAUSE))
      }
    }
    this.#running.push(loop())
  }

  async #newConversation(): Promise<Conversation> {
    const m = [...this.#clients.map(({ id }) => id), this.#absent]
    const reply = await this.#api.send('POST', '/1.2/rtm/conversations', { m, unique: false }, { master: true })
    if (reply.outcome !== 'done') throw new Error(`A conversation is answered with ${JSON.stringify(reply)}`)
    return { id: reply.body.objectId, history: new MessageHistory() }
  }

  async #talk(client: ChatClient): Promise<void> {
    const conversation = this.#random.pick(this.#conversations)
    // Sends some concurrently: messages of a client over one connection keep their order.
    const sending = Array.from({ length: this.#random.between(1, 3) }, () => this.#send(client, conversation))
    for (const sent of await Promise.all(sending))
      if (sent.outcome === 'done' && this.#random.chance(0.2)) await this.#edit(client, conversation, sent)
  }

  /** Sends a message until it is acknowledged, always with the same token. */
  async #send(client: ChatClient, { id: cid, history }: Conversation): Promise<Sent> {
    const sequence = ++this.#sequence
    const content = `message ${sequence} of ${client.id}`
    const sent = history.send(content, client.id, sequence)
    const command = { cmd: 'direct', directMessage: { cid, msg: content, dt: `token ${sequence}` } } as const
    for (let tries = 1; tries <= TRIES && sent.outcome === 'unknown'; tries++) {
      if (tries > 1) await Promise.race([client.opened(), sleep(DELIVERY)])
      const { connections } = client
      this.#noteAck(sent, await client.request(command), tries === 1 ? connections : null)
      if (tries === 2) this.sentAgain++
      if (sent.outcome === 'unknown') await sleep(PAUSE)
    }
    return sent
  }

  #noteAck(sent: Sent, answer: GenericCommand | null, connection: number | null): void {
    if (!answer) return
    const { code, reason, uid, t } = answer.ackMessage ?? {}
    if (code === undefined && uid !== undefined && t !== undefined) {
      Object.assign(sent, { outcome: 'done', id: uid, ts: t, connection })
      this.acknowledged++
      return
    }
    const refusal = code ?? answer.errorMessage?.code
    if (refusal !== undefined && isInability(refusal)) return
    this.#violation(`a message was refused with ${refusal} ${reason ?? answer.errorMessage?.reason}`)
    sent.outcome = 'refused'
  }

  async #edit(client: ChatClient, { id: cid }: Conversation, sent: Sent): Promise<void> {
    const recall = this.#random.chance(0.3)
    const content = recall ? RECALLED : `edited ${++this.#sequence} by ${client.id}`
    const edit = { content, outcome: 'unknown' as Outcome }
    sent.edits.push(edit)
    const item = { cid, mid: sent.id!, timestamp: sent.ts!, ...(recall ? { recall } : { data: content }) }
    const answer = await client.request({ cmd: 'patch', op: 'modify', patchMessage: { patches: [item] } })
    if (answer?.op === 'modified') edit.outcome = 'done'
    const code = answer?.errorMessage?.code
    if (code !== undefined && !isInability(code)) this.#violation(`an edit was refused with ${code}`)
  }

  /** Marks messages as read, which has no response; marks shown to other members must not be lost. */
  async #mark(): Promise<void> {
    const { id: cid, history } = this.#random.pick(this.#conversations)
    const last = [...history.sent.values()].findLast(({ ts }) => ts !== null)
    if (!last || !this.#reader.isOpen) return
    history.marks.asked = Math.max(history.marks.asked, last.ts!)
    this.#reader.send({ cmd: 'read', readMessage: { convs: [{ cid, mid: last.id!, timestamp: last.ts! }] } })
    await sleep(2 * PAUSE)
    history.marks.shown = Math.max(history.marks.shown, (await this.#readAt(cid)) ?? 0)
  }

  /** Returns the read position of the reader, as shown to another member; null without a response. */
  async #readAt(cid: string): Promise<number | null> {
    const query: GenericCommand = { cmd: 'conv', op: 'max_read', convMessage: { cid, queryAllMembers: true } }
    const answer = await this.#clients[1]!.request(query)
    const marks = answer?.convMessage?.maxReadTuples
    return marks ? (marks.find(({ pid }) => pid === this.#reader.id)?.maxReadTimestamp ?? 0) : null
  }

  async #sendAsApp(): Promise<void> {
    const { id, history } = this.#random.pick(this.#conversations)
    const sequence = ++this.#sequence
    const sent = history.send(`message ${sequence} of the app`, 'app', sequence)
    const body = { from_client: 'app', message: `message ${sequence} of the app` }
    const reply = await this.#api.send('POST', `/1.2/rtm/conversations/${id}/messages`, body, { master: true })
    if (reply.outcome === 'refused') this.#violation(`a message of the app was refused: ${JSON.stringify(reply.body)}`)
    sent.outcome = reply.outcome
    if (reply.outcome !== 'done') return
    this.acknowledged++
    Object.assign(sent, { id: reply.body['msg-id'], ts: reply.body.timestamp })
  }

  #onCommand(client: ChatClient, { cmd, directMessage }: GenericCommand): void {
    if (cmd !== 'direct' || !directMessage) return
    const { cid, id, timestamp, msg } = directMessage
    const conversation = this.#conversations.find((known) => known.id === cid)
    conversation?.history.receive(connectionOf(client), { id: id!, ts: timestamp!, content: msg! })
  }

  /**
   * Checks that messages reach all online members on every node once servers and database are healthy. Earlier messages are
   * found in the history.
   */
  async #checkDelivery(conversation: Conversation): Promise<void> {
    const [sender, ...others] = this.#clients
    for (const late = Date.now() + DELIVERY; ; ) {
      const sent = await this.#send(sender!, conversation)
      const next = Date.now() + NEXT_PROBE
      const hasReceived = (client: ChatClient) =>
        (conversation.history.received.get(connectionOf(client)) ?? []).some(({ id }) => id === sent.id)
      while (!others.every(hasReceived) && Date.now() < next) await sleep(10)
      const deaf = others.filter((client) => !hasReceived(client))
      if (deaf.length === 0) return
      if (Date.now() < late) continue
      return this.#violation(`${deaf.map(({ id }) => id)} hear nothing of ${conversation.id} for ${DELIVERY} ms`)
    }
  }

  async #messagesOf(id: string): Promise<StoredConversation['messages']> {
    const query = { limit: '1000', reversed: 'true' }
    const items: { 'msg-id': string; timestamp: number; from: string; data: string }[] = await this.#api.get(
      `/1.2/rtm/conversations/${id}/messages`,
      query,
    )
    return items.map((item) => ({ id: item['msg-id'], ts: item.timestamp, sender: item.from, content: item.data }))
  }

  async #unreadOf(clientId: string, convId: string): Promise<number> {
    const path = `/1.2/rtm/clients/${encodeURIComponent(clientId)}/unread-count`
    return (await this.#api.get(path, { conv_id: convId })).count
  }

  #violation(text: string): void {
    this.#api.faults.violations.push(text)
  }
}

function connectionOf({ id, connections }: ChatClient): string {
  return `connection ${connections} of ${id}`
}
