import type { Bus } from '../bus/bus.ts'
import { ReplicatedCache } from '../bus/replicated-cache.ts'
import { json, jsonOrNull, number, rowDecoder, text, texts } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { raw, type Sql, sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { isJsonObject, type Json, type JsonObject, member } from '../values/json.ts'
import { isObjectId } from '../values/names.ts'
import { type Conversation, type ConversationKind, isTemporaryId } from './conversation.ts'

/** How long a conversation is cached, in milliseconds. */
const CACHE_AGE = 30_000
/** Maximum number of client ids in the cache, over all conversations. Each takes some bytes besides its text. */
const CACHE_SIZE = 500_000
/** The weight of a conversation without members, in client ids. */
const OWN_WEIGHT = 20

export interface ConversationTables {
  /** The table of the class `_Conversation`. */
  readonly conversations: Sql
  readonly temporary: Sql
  readonly silences: Sql
}

/**
 * Caches the conversations of an app, with the data that sending needs. Each entry is valid until a node changes the
 * conversation.
 */
export class Conversations {
  readonly #database: Database
  readonly #tables: ConversationTables
  readonly #cache: ReplicatedCache<Conversation | null>

  constructor(appId: string, database: Database, tables: ConversationTables, bus: Bus, log: Log) {
    this.#database = database
    this.#tables = tables
    this.#cache = new ReplicatedCache<Conversation | null>({
      bus,
      topic: `conversations ${appId}`,
      load: (id) => (isTemporaryId(id) ? this.#loadTemporary(id) : this.#loadObject(id)),
      age: CACHE_AGE,
      size: CACHE_SIZE,
      weigh: ({ members, muters, silences }) => OWN_WEIGHT + members.size + muters.size + silences.size,
      risk: 'other nodes may go by old members of a conversation',
      log,
    })
  }

  /** Returns a conversation from the cache, synchronously. */
  known(id: string): Conversation | undefined {
    return this.#cache.get(id)
  }

  /** Finds a conversation. Expired temporary conversations are still found. @returns null when it does not exist */
  async find(id: string): Promise<Conversation | null> {
    return this.#cache.find(id)
  }

  /** Invalidates a changed conversation on all nodes. An empty id invalidates all conversations. */
  forget(id: string): Promise<void> {
    return this.#cache.publishChange(id)
  }

  stop(): void {
    this.#cache.stop()
  }

  async #loadTemporary(id: string): Promise<Conversation | null> {
    const [row] = await this.#database.query(sql`
      SELECT members, creator, expires_ts FROM ${this.#tables.temporary} WHERE id = ${id}`)
    return row ? { id, kind: 'temporary', muters: new Set(), silences: new Map(), ...decodeTemporary(row) } : null
  }

  async #loadObject(id: string): Promise<Conversation | null> {
    if (!isObjectId(id)) return null
    const [row] = await this.#database.query(sql`
      SELECT ${messagingFields(raw('data'))} AS data, (
        SELECT jsonb_object_agg(client_id, until_ts) FROM ${this.#tables.silences} WHERE conv_id = ${id}
      ) AS silences
      FROM ${this.#tables.conversations}
      WHERE id = ${id}`)
    return row ? fromObject(id, row) : null
  }
}

/** Selects the fields of a record that messaging needs, as jsonb. Other fields may hold megabytes of app data. */
export function messagingFields(data: Sql): Sql {
  return sql`(
    SELECT to_jsonb(field)
    FROM jsonb_to_record(${data}) AS field (m jsonb, mu jsonb, c jsonb, sys jsonb, tr jsonb, "unique" jsonb)
  )`
}

function fromObject(id: string, row: Row): Conversation {
  const { data, silences: stored } = decodeStored(row)
  const kind = kindOf(data)
  const silences: Json = stored ?? {}
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

/** Returns the kind of a conversation by the markers of its record (protocol/messaging, Conversation). */
export function kindOf(data: JsonObject): ConversationKind {
  if (member(data, 'sys') === true) return 'system'
  return member(data, 'tr') === true ? 'room' : 'normal'
}

export function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

const decodeTemporary = rowDecoder({
  members: texts('members', (members) => new Set(members)),
  creator: text('creator'),
  expiresAt: number('expires_ts'),
})

const decodeStored = rowDecoder({ data: json<JsonObject>('data'), silences: jsonOrNull<Json>('silences') })
