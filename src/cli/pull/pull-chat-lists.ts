import { type Notice, notice } from '../../notices/notice.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { isObjectId } from '../../values/names.ts'
import { CursorCycle, checkAscending, isCursor, NoAdvance } from './advancing.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

export const CHAT_LISTS_PART = 'subscribers and lists of conversations'

/** Maximum items in a response of the source (protocol/messaging, Limits). */
const MAX_SUBSCRIBERS = 50
const MAX_OF_LIST = 100
const MAX_CONVERSATIONS = 1000
const MAX_MESSAGES = 1000
/** Maximum clients remembered as having read all messages. */
const MAX_REMEMBERED = 200_000

type Table = 'subscriptions' | 'blocks' | 'silences' | 'reads'

/** Data of conversations that is pulled in addition to messages. */
export interface ChatLists {
  /** Whether to pull blacklists, muted clients and read marks, with one request for each list and each member. */
  readonly details: boolean
}

/**
 * Pulls the subscribers of system conversations and, if requested, other data of conversations that needs separate requests. It
 * runs before the messages are pulled, because members without a mark count as having read all of these. Each pull reads all
 * conversations, because the source does not tell which lists have changed.
 * @returns also the lists of existing conversations that the source refused, for the report
 */
export async function pullChatLists(
  source: SourceApp,
  target: PullTarget,
  { details }: ChatLists,
): Promise<{ readonly part: Part; readonly refused: Notice | null }> {
  const known = await Part.open(target, CHAT_LISTS_PART)
  const part = known.mark === DONE ? await Part.open(target, CHAT_LISTS_PART, true) : known
  const requests = new ChatListRequests(source)
  const marks = new ReadMarks(requests)
  for await (const conversation of conversationsOf(source, part.mark, details)) {
    const id = conversation.objectId
    requests.of = id
    for await (const [table, rows] of listsOf(requests, conversation, details, marks)) {
      const items = rows.map((row): PulledItem => ({ text: JSON.stringify({ conv_id: id, ...row }), mark: id }))
      // A list that was interrupted restarts; repeated entries are stored once.
      await part.write({ kind: 'messaging', className: `messaging-${table}` }, items, part.mark ?? '')
    }
    await part.write({ kind: 'messaging', className: 'messaging-subscriptions' }, [], id)
  }
  await part.write({ kind: 'messaging', className: 'messaging-subscriptions' }, [], DONE)
  return { part, refused: requests.refused }
}

/** No id of a conversation has this form. */
const DONE = '(done)'

async function* conversationsOf(
  source: SourceApp,
  after: string | null,
  details: boolean,
): AsyncGenerator<JsonObject & { readonly objectId: string }> {
  for (let last = after ?? ''; ; ) {
    const where = { ...(last !== '' && { objectId: { $gt: last } }), ...(!details && { sys: true }) }
    const query = { where, order: 'objectId', limit: MAX_CONVERSATIONS, keys: 'm,sys,tr' }
    const { results } = await source.object('/1.1/classes/_Conversation', query)
    const page = (Array.isArray(results) ? results : []).filter(hasId)
    checkAscending(
      notice('theConversations'),
      last === '' ? null : last,
      page.map(({ objectId }) => objectId),
    )
    yield* page
    if (page.length === 0) return
    last = page.at(-1)!.objectId
  }
}

/** Returns whether the conversation has a valid id. Otherwise the pull of the class rejects it. */
function hasId(conversation: Json): conversation is JsonObject & { readonly objectId: string } {
  return isJsonObject(conversation) && isObjectId(conversation.objectId)
}

async function* listsOf(
  requests: ChatListRequests,
  { objectId, sys, tr, m }: JsonObject,
  details: boolean,
  marks: ReadMarks,
): AsyncGenerator<[Table, JsonObject[]]> {
  const kind = sys === true ? 'service-conversations' : tr === true ? 'chatrooms' : 'conversations'
  const path = `/1.2/rtm/${kind}/${encodeURIComponent(String(objectId))}`
  if (sys === true) for await (const page of subscribersOf(requests, path)) yield ['subscriptions', page]
  if (!details) return
  for await (const clients of pagesOf(requests, `${path}/blacklists`))
    yield ['blocks', clients.map((client_id) => ({ client_id }))]
  if (sys === true) return
  for await (const clients of pagesOf(requests, `${path}/permanent-silenceds`))
    yield ['silences', clients.map((client_id) => ({ client_id, until_ts: null }))]
  if (tr === true || !Array.isArray(m)) return
  for (const client of m) {
    const mark = typeof client === 'string' ? await marks.of(client, String(objectId), path) : null
    if (mark) yield ['reads', [mark]]
  }
}

async function* subscribersOf(requests: ChatListRequests, path: string): AsyncGenerator<JsonObject[]> {
  const cycle = new CursorCycle()
  for (let after: string | null = null; ; ) {
    const query: { [name: string]: Json } = { limit: MAX_SUBSCRIBERS, ...(after !== null && { client_id: after }) }
    const page = objectsIn(await requests.answer(`${path}/subscribers`, query))
    const rows = page.flatMap(({ subscriber, timestamp }) =>
      typeof subscriber === 'string' && typeof timestamp === 'number'
        ? [{ client_id: subscriber, since_ts: timestamp }]
        : [],
    )
    if (rows.length > 0) yield rows
    const last = page.at(-1)?.subscriber
    if (page.length === 0 || !isCursor(last) || last === after) return
    if (cycle.isRepeated(last)) throw repeats(path)
    after = last
  }
}

async function* pagesOf(requests: ChatListRequests, path: string): AsyncGenerator<string[]> {
  const cycle = new CursorCycle()
  for (let next: string | null = null; ; ) {
    const answer = await requests.answer(path, { limit: MAX_OF_LIST, ...(next !== null && { next }) })
    const { client_ids: clients, next: following } = isJsonObject(answer) ? answer : {}
    const ids = Array.isArray(clients) ? clients.filter((client) => typeof client === 'string') : []
    if (ids.length > 0) yield ids
    if (!isCursor(following) || following === next || ids.length === 0) return
    if (cycle.isRepeated(following)) throw repeats(path)
    next = following
  }
}

function repeats(path: string): NoAdvance {
  return new NoAdvance(notice('pagesRepeat', { path }))
}

/** Requests data of conversations, and continues when a request is refused. */
class ChatListRequests {
  readonly #source: SourceApp
  #refusals = 0
  #first: Notice | null = null
  /** The id of the current conversation. */
  of = ''

  constructor(source: SourceApp) {
    this.#source = source
  }

  /** null: nothing was refused */
  get refused(): Notice | null {
    if (this.#first === null) return null
    return notice('chatListsNotRead', { requests: this.#refusals, reason: this.#first })
  }

  /** @returns null when the conversation was deleted meanwhile, or the source refuses */
  async answer(path: string, query: JsonObject): Promise<Json> {
    try {
      return JSON.parse(await this.#source.text(path, query)) as Json
    } catch (error) {
      if (!(error instanceof SourceRefusal) || error.status === 401) throw error
      if (this.#refusals === 0 && !(await this.#isThere())) return null
      if (this.#refusals++ === 0) this.#first = error.notice
      return null
    }
  }

  async #isThere(): Promise<boolean> {
    const query = { where: { objectId: this.of }, limit: 1, keys: 'objectId' }
    const { results } = await this.#source.object('/1.1/classes/_Conversation', query)
    return Array.isArray(results) && results.length > 0
  }
}

/** Computes the read marks of members from their numbers of unread messages. */
class ReadMarks {
  readonly #requests: ChatListRequests
  /** Clients without unread messages. */
  readonly #upToDate = new Set<string>()

  constructor(requests: ChatListRequests) {
    this.#requests = requests
  }

  /**
   * @param path the path of the conversation
   * @returns null for a member without unread messages in it
   */
  async of(client: string, convId: string, path: string): Promise<JsonObject | null> {
    if (this.#upToDate.has(client)) return null
    const url = `/1.2/rtm/clients/${encodeURIComponent(client)}/unread-count`
    const count = countIn(await this.#requests.answer(url, { conv_id: convId }))
    if (count === 0) {
      if (countIn(await this.#requests.answer(url, {})) === 0 && this.#upToDate.size < MAX_REMEMBERED)
        this.#upToDate.add(client)
      return null
    }
    const limit = Math.min(MAX_MESSAGES, count * 2 + 20)
    const recent = objectsIn(await this.#requests.answer(`${path}/messages`, { limit }))
    const unread = recent.filter(({ from }) => from !== client).slice(0, count)
    const { timestamp } = unread.at(-1) ?? {}
    if (typeof timestamp !== 'number') return null
    const mark = timestamp - 1
    const marks = { read_ts: mark, received_ts: mark, changed_at: mark, has_read: true, has_received: true }
    return { client_id: client, ...marks }
  }
}

function countIn(answer: Json): number {
  return isJsonObject(answer) && typeof answer.count === 'number' ? answer.count : 0
}

function objectsIn(answer: Json): JsonObject[] {
  return Array.isArray(answer) ? answer.filter(isJsonObject) : []
}
