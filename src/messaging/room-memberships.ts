import { coalesce, type Outcome } from '../database/coalesce.ts'
import { rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'

/** How long the room membership of a lost connection is kept, in milliseconds (protocol/realtime, Chat rooms). */
const MEMBERSHIP_TTL_MS = 30 * 60_000
/** Maximum number of memberships that one statement stores or removes. */
const SIZE = 200
/** How long a change waits for others to share its statement, in milliseconds. No client waits for it. */
const INTERVAL = 50
/** How many expired memberships are deleted for each one that is stored. */
const REMOVED = 10

/** A device of a client. Sessions without a device share the membership of their client. */
export interface RoomMember {
  readonly clientId: string
  readonly deviceId: string | null
}

interface RoomMembership extends RoomMember {
  readonly roomId: string
}

/** Stores the rooms of lost connections. Connections that are lost or restored together share a statement. */
export class RoomMemberships {
  readonly #database: Database
  readonly #table: Sql
  readonly #store: (membership: RoomMembership) => Promise<void>
  readonly #remove: (member: RoomMember) => Promise<string | null>
  /** The operations in progress, by key, which run in sequence for one key. */
  readonly #pending = new Map<string, Promise<unknown>>()

  constructor(database: Database, table: Sql) {
    this.#database = database
    this.#table = table
    this.#store = coalesce((memberships) => this.#storeAll(memberships), { atOnce: 1, size: SIZE, interval: INTERVAL })
    this.#remove = coalesce((members) => this.#removeAll(members), { atOnce: 1, size: SIZE, interval: INTERVAL })
  }

  /** Keeps the membership of a device; the last one replaces earlier ones. */
  keep(member: RoomMember, roomId: string): Promise<void> {
    return this.#inSequence(member, () => this.#store({ clientId: member.clientId, deviceId: member.deviceId, roomId }))
  }

  /** Removes the membership of a device. @returns the room, unless it was not stored or has expired */
  take(member: RoomMember): Promise<string | null> {
    return this.#inSequence(member, () => this.#remove(member))
  }

  /**
   * Runs operations on one device in sequence, so that a quick reconnect finds its room and a quick disconnect keeps the new one.
   */
  async #inSequence<Result>(member: RoomMember, work: () => Promise<Result>): Promise<Result> {
    const key = keyOf(member)
    const before = this.#pending.get(key)
    const pending = before ? before.catch(() => {}).then(work) : work()
    this.#pending.set(key, pending)
    try {
      return await pending
    } finally {
      if (this.#pending.get(key) === pending) this.#pending.delete(key)
    }
  }

  async #storeAll(memberships: readonly RoomMembership[]): Promise<Outcome<void>[]> {
    const byKey = new Map(memberships.map((membership) => [keyOf(membership), membership]))
    const last = [...byKey.keys()].sort().map((key) => byKey.get(key)!)
    await this.#database.query(sql`
      WITH clock AS (
        SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
      ), old AS (
        SELECT client_id, device
        FROM ${this.#table}
        WHERE until_ts < (SELECT now FROM clock) AND client_id <> ALL(${last.map(({ clientId }) => clientId)}::text[])
        LIMIT ${REMOVED * last.length}::bigint
        FOR UPDATE SKIP LOCKED
      ), removed AS (
        DELETE FROM ${this.#table} AS membership
        USING old
        WHERE membership.client_id = old.client_id AND membership.device = old.device
      )
      INSERT INTO ${this.#table} (client_id, device, conv_id, until_ts)
      SELECT client_id, device, conv_id, now + ${MEMBERSHIP_TTL_MS}::bigint
      FROM clock, unnest(
        ${last.map(({ clientId }) => clientId)}::text[],
        ${last.map(deviceOf)}::text[],
        ${last.map(({ roomId }) => roomId)}::text[]
      ) AS item (client_id, device, conv_id)
      ON CONFLICT (client_id, device) DO UPDATE SET conv_id = excluded.conv_id, until_ts = excluded.until_ts`)
    return memberships.map(() => ({ result: undefined }))
  }

  async #removeAll(members: readonly RoomMember[]): Promise<Outcome<string | null>[]> {
    const rows = await this.#database.query(sql`
      DELETE FROM ${this.#table} AS membership
      USING unnest(
        ${members.map(({ clientId }) => clientId)}::text[],
        ${members.map(deviceOf)}::text[]
      ) AS item (client_id, device)
      WHERE membership.client_id = item.client_id COLLATE "C" AND membership.device = item.device COLLATE "C"
      RETURNING membership.client_id, membership.device, membership.conv_id,
        membership.until_ts > (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS kept`)
    const rooms = new Map(
      rows
        .filter(({ kept }) => kept === true)
        .map(decodeMembership)
        .map(({ convId, ...member }) => [keyOf(member), convId]),
    )
    return members.map((member) => {
      const key = keyOf(member)
      const roomId = rooms.get(key) ?? null
      // When a device has two sessions, the first one gets the room.
      rooms.delete(key)
      return { result: roomId }
    })
  }
}

function deviceOf({ deviceId }: RoomMember): string {
  return deviceId ?? ''
}

function keyOf(member: RoomMember): string {
  return JSON.stringify([member.clientId, deviceOf(member)])
}

const decodeMembership = rowDecoder({ clientId: text('client_id'), deviceId: text('device'), convId: text('conv_id') })
