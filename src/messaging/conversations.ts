import type { Bus } from '../bus/bus.ts'
import type { Database, Row } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { isJsonObject, type Json, type JsonObject, member } from '../values/json.ts'
import { isObjectId } from '../values/names.ts'
import { Remembered } from '../values/remembered.ts'
import { type Conversation, type ConversationKind, isTemporaryId } from './conversation.ts'

/** How long a conversation is trusted without asking the database again, in milliseconds. */
const CACHE_TIME = 30_000
/** Names that what is remembered may hold, of all conversations together; each has some bytes beside its text. */
const CACHE_SIZE = 500_000
/** What a conversation without members weighs, in names. */
const OWN_WEIGHT = 20

export interface ConversationTables {
  /** The table of the class `_Conversation`. */
  readonly conversations: Sql
  readonly temporary: Sql
  readonly silences: Sql
}

/** The conversations of an app as far as sending in them goes, remembered until one of the nodes changes them. */
export class Conversations {
  readonly #database: Database
  readonly #tables: ConversationTables
  readonly #bus: Bus
  readonly #topic: string
  readonly #log: Log
  readonly #known = new Remembered<Conversation>(
    CACHE_TIME,
    CACHE_SIZE,
    ({ members, muters, silences }) => OWN_WEIGHT + members.size + muters.size + silences.size,
  )
  readonly #loading = new Map<string, Promise<Conversation | null>>()
  readonly #endings: readonly (() => void)[]
  #generation = 0

  constructor(appId: string, database: Database, tables: ConversationTables, bus: Bus, log: Log) {
    this.#database = database
    this.#tables = tables
    this.#bus = bus
    this.#topic = `conversations ${appId}`
    this.#log = log
    this.#endings = [bus.subscribe(this.#topic, (id) => this.#drop(id)), bus.onGap(() => this.#drop(''))]
  }

  /** What is remembered of a conversation, without a detour. */
  known(id: string): Conversation | undefined {
    return this.#bus.connected ? this.#known.get(id) : undefined
  }

  /** @returns null when there is no such conversation; a temporary one that has ended is still found */
  async find(id: string): Promise<Conversation | null> {
    const known = this.known(id)
    if (known) return known
    let loading = this.#loading.get(id)
    if (!loading) {
      loading = this.#load(id).finally(() => this.#loading.delete(id))
      this.#loading.set(id, loading)
    }
    return loading
  }

  /** A conversation was changed: no node goes by what it knew. Empty for all of them. */
  async forget(id: string): Promise<void> {
    try {
      await this.#bus.publish(this.#topic, id)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#log.warn({ component: 'messaging', error: reason }, 'other nodes may go by old members of a conversation')
    }
  }

  stop(): void {
    for (const end of this.#endings) end()
  }

  #drop(id: string): void {
    this.#generation++
    this.#loading.delete(id)
    if (id !== '') {
      this.#known.delete(id)
      return
    }
    this.#loading.clear()
    this.#known.clear()
  }

  async #load(id: string): Promise<Conversation | null> {
    const generation = this.#generation
    const found = isTemporaryId(id) ? await this.#loadTemporary(id) : await this.#loadObject(id)
    if (found && generation === this.#generation && this.#bus.connected) this.#known.set(id, found)
    return found
  }

  async #loadTemporary(id: string): Promise<Conversation | null> {
    const [row] = await this.#database.query(sql`
      SELECT members, creator, expires_ts FROM ${this.#tables.temporary} WHERE id = ${id}`)
    if (!row) return null
    return {
      id,
      kind: 'temporary',
      members: new Set(row.members as readonly string[]),
      muters: new Set(),
      creator: String(row.creator),
      silences: new Map(),
      expiresAt: Number(row.expires_ts),
    }
  }

  async #loadObject(id: string): Promise<Conversation | null> {
    if (!isObjectId(id)) return null
    const [row] = await this.#database.query(sql`
      SELECT data, (
        SELECT jsonb_object_agg(client_id, until_ts) FROM ${this.#tables.silences} WHERE conv_id = ${id}
      ) AS silences
      FROM ${this.#tables.conversations}
      WHERE id = ${id}`)
    return row ? fromObject(id, row) : null
  }
}

function fromObject(id: string, row: Row): Conversation {
  const data = JSON.parse(String(row.data)) as JsonObject
  const kind = kindOf(data)
  const silences: Json = row.silences === null ? {} : JSON.parse(String(row.silences))
  const creator = member(data, 'c')
  return {
    id,
    kind,
    members: new Set(kind === 'normal' ? textsOf(member(data, 'm')) : []),
    muters: new Set(textsOf(member(data, 'mu'))),
    creator: typeof creator === 'string' ? creator : null,
    silences: new Map(isJsonObject(silences) ? (Object.entries(silences) as [string, number | null][]) : []),
    expiresAt: null,
  }
}

/** The kind that the markers of a record say (protocol/messaging, Conversation). */
export function kindOf(data: JsonObject): ConversationKind {
  if (member(data, 'sys') === true) return 'system'
  return member(data, 'tr') === true ? 'room' : 'normal'
}

export function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}
