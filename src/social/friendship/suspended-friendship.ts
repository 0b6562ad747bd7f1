import { date, json, jsonOrNull, rowDecoder, text } from '../../database/decode-row.ts'
import { isUniqueViolation } from '../../database/faults.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { aclColumns } from '../../objects/access/acl.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { noteWrite } from '../../objects/store.ts'
import { insertObject } from '../../objects/writing/create.ts'
import { withAuthority } from '../../objects/writing/hooked-writes.ts'
import { isJsonObject, type Json, type JsonObject, member } from '../../values/json.ts'
import { sameType, typeOfValue } from '../../values/typed.ts'
import { type FollowClass, rowIn } from './follow-rows.ts'
import { BLOCKLIST, FOLLOWEE, FOLLOWER, type Friendship, schemaOf } from './friendship.ts'
import type { Pair, Stand } from './pair.ts'

/*
 * The rows of a friendship while one of its users blocks the other (protocol/social, Block list). They are kept in the field
 * `suspendedFriendship` of the `_Blocklist` row, which no client sees, so they are deleted with the block or with either user.
 */

/** A row of `_Followee` or `_Follower` as it was stored when the block began. */
interface SuspendedRow {
  readonly className: FollowClass
  readonly id: string
  /** ISO date. */
  readonly createdAt: string
  readonly acl: JsonObject | null
  readonly data: JsonObject
}

/** Returns the rows of the friendship between two users, as JSON; empty when they are not friends. */
export async function friendshipRows(
  friendship: Friendship,
  { forth, back }: Pair,
  transaction: Executor,
): Promise<JsonObject[]> {
  const rows: JsonObject[] = []
  for (const stand of [forth, back].filter(({ isFriend }) => isFriend)) {
    for (const className of [FOLLOWEE, FOLLOWER] as const) {
      const [row] = await transaction.query(sql`
        SELECT id, created_at, acl, data
        FROM ${schemaOf(friendship, className).table}
        WHERE id = ${rowIn(stand, className)}`)
      if (row) rows.push({ className, ...decodeRow(row) })
    }
  }
  return rows
}

/** Returns the rows that a block keeps of a friendship. */
export async function suspendedBy(friendship: Friendship, blockId: string, transaction: Executor): Promise<Json[]> {
  const [row] = await transaction.query(sql`
    SELECT data->'suspendedFriendship' AS suspended FROM ${schemaOf(friendship, BLOCKLIST).table} WHERE id = ${blockId}`)
  const rows = row ? jsonOrNull<unknown>('suspended')(row) : null
  return Array.isArray(rows) ? rows : []
}

/** Moves the rows of a friendship to the other user's block, when both users block each other. */
export async function suspendUntil(
  friendship: Friendship,
  blockId: string,
  rows: readonly Json[],
  transaction: Executor,
): Promise<void> {
  await transaction.query(sql`
    UPDATE ${schemaOf(friendship, BLOCKLIST).table}
    SET data = jsonb_set(data, '{suspendedFriendship}', ${JSON.stringify(rows)}::jsonb)
    WHERE id = ${blockId}`)
}

/**
 * Restores the rows of a friendship with their ids, times, ACLs and attributes. Attributes whose field was deleted or has another
 * type by now are left out; rows that were created meanwhile are kept.
 * @throws an error recognized by `isTaken` when a row violates a unique index of the app
 */
export async function restoreFriendship(
  friendship: Friendship,
  rows: readonly Json[],
  { forth, back }: Pair,
  caller: Caller,
  transaction: Executor,
): Promise<void> {
  const { objects } = friendship
  for (const row of rows.filter(isSuspendedRow)) {
    const stand = [forth, back].find((candidate) => isRowOf(row, candidate))
    if (!stand || rowIn(stand, row.className) !== null) continue
    const schema = schemaOf(friendship, row.className)
    const columns = aclColumns(row.acl)
    const data = JSON.stringify(knownFields(schema, row.data))
    const { id, createdAt } = row
    const object = { id, createdAt, schema, data, acl: columns.acl, columns, relations: [] }
    await insertObject(objects, object, withAuthority(caller), transaction)
    transaction.afterCommit(() => noteWrite(objects, row.className))
  }
}

/** Returns whether a friendship could not be restored because other rows conflict with it. */
export const isTaken = (error: unknown): boolean => isUniqueViolation(error)

function isSuspendedRow(row: Json): row is JsonObject & SuspendedRow {
  return (
    isJsonObject(row) &&
    (row.className === FOLLOWEE || row.className === FOLLOWER) &&
    typeof row.id === 'string' &&
    typeof row.createdAt === 'string' &&
    isJsonObject(row.data)
  )
}

/** Returns whether a row is part of a user's relation to the other one. */
function isRowOf({ className, data }: SuspendedRow, { userId, otherId }: Stand): boolean {
  const [user, other] = className === FOLLOWEE ? [data.user, data.followee] : [data.follower, data.user]
  return idIn(user) === userId && idIn(other) === otherId
}

function idIn(pointer: Json | undefined): unknown {
  return isJsonObject(pointer) ? pointer.objectId : undefined
}

function knownFields({ fields }: ClassSchema, data: JsonObject): JsonObject {
  const isKnown = (name: string) => {
    const type = fields.get(name)?.type
    const actual = typeOfValue(member(data, name) ?? null)
    return type !== undefined && (actual === null || sameType(type, actual))
  }
  return Object.fromEntries(Object.entries(data).filter(([name]) => isKnown(name)))
}

const decodeRow = rowDecoder({
  id: text('id'),
  createdAt: date('created_at'),
  acl: jsonOrNull<JsonObject>('acl'),
  data: json<JsonObject>('data'),
})
