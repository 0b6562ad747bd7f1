import { boolean, type Decoder, rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { writableBy } from '../../objects/access/acl.ts'
import { type Caller, MASTER } from '../../objects/access/caller.ts'
import { textKeyExpression } from '../../objects/where/columns.ts'
import { deleteObject } from '../../objects/writing/delete.ts'
import { isJsonObject, isStorableText, type Json, type JsonObject } from '../../values/json.ts'
import { INSTALLATION, installationTable, type Push } from '../push.ts'
import { DEVICE_TOKEN_FORM } from './installation-rules.ts'

/** The ids of a device as in the unique indexes, so that comparisons use these indexes. */
export const INSTALLATION_ID: Sql = textKeyExpression('installationId')
export const DEVICE_TOKEN: Sql = textKeyExpression('deviceToken')

/** The ids of a device. Each belongs to at most one installation. */
export interface Identity {
  readonly installationId: string | null
  readonly deviceToken: string | null
}

/** An installation that has one of the requested ids, or that the request names. */
export interface Holder extends Identity {
  readonly id: string
  readonly createdAt: string
  readonly deviceType: string | null
  readonly vendor: string | null
  readonly registrationId: string | null
  /** Whether the caller may write it by its ACL. */
  readonly writable: boolean
}

/**
 * Returns the ids of a device that a body contains. Ids that the database cannot store are rejected before records are looked up:
 * with a replaced character, two devices would become one.
 * @throws ApiError 1, 114
 */
export function identityOf(body: JsonObject): Identity {
  const installationId = textOf(body.installationId)
  if (installationId !== null && !isStorableText(installationId))
    throw errors.badArgument("'installationId' must be a Unicode string without NUL characters.")
  const deviceToken = textOf(body.deviceToken)
  if (deviceToken !== null && !isStorableText(deviceToken)) throw errors.invalidDeviceToken(DEVICE_TOKEN_FORM)
  return { installationId, deviceToken }
}

export function hasIdentity({ installationId, deviceToken }: Identity): boolean {
  return installationId !== null || deviceToken !== null
}

/** Returns a non-empty string; null for any other value. */
export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

const KEYS = ['installationId', 'deviceToken'] as const

/** Removes empty ids from the body of a POST: an empty string is not an id (protocol/push, Saving an installation). */
export function withoutEmptyIds(body: JsonObject): JsonObject {
  const empty: readonly string[] = KEYS.filter((key) => isEmpty(body[key]))
  return empty.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([key]) => !empty.includes(key)))
}

/** Checks that a client does not remove an id of an installation. @throws ApiError 119 (protocol/push, Saving an installation) */
export function checkKeepsIds(body: JsonObject, caller: Caller): void {
  const key = KEYS.find((name) => isEmpty(body[name]))
  if (key !== undefined && !caller.master)
    throw errors.notAllowedForClients(`'${key}' of an installation cannot be removed.`)
}

function isEmpty(value: Json | undefined): boolean {
  return value === null || value === '' || (isJsonObject(value) && Object.hasOwn(value, '__op'))
}

/** Locks the installations that have one of these ids, and the one with the object id, until the transaction ends. */
export async function lockHolders(
  push: Push,
  transaction: Executor,
  { installationId, deviceToken }: Identity,
  id: string | null,
  caller: Caller,
): Promise<Holder[]> {
  const rows = await transaction.query(sql`
    SELECT id, created_at, ${INSTALLATION_ID} AS installation_id, ${DEVICE_TOKEN} AS device_token,
      data->>'deviceType' AS device_type, data->>'vendor' AS vendor, data->>'registrationId' AS registration_id,
      ${writableBy(caller)} AS writable
    FROM ${installationTable(push)}
    WHERE ${INSTALLATION_ID} = ${installationId}::text OR ${DEVICE_TOKEN} = ${deviceToken}::text OR id = ${id}::text
    ORDER BY id
    FOR UPDATE`)
  return rows.map(decodeHolder)
}

const decodeHolder: Decoder<Holder> = rowDecoder({
  id: text('id'),
  createdAt: text('created_at'),
  installationId: text.orNull('installation_id'),
  deviceToken: text.orNull('device_token'),
  deviceType: text.orNull('device_type'),
  vendor: text.orNull('vendor'),
  registrationId: text.orNull('registration_id'),
  writable: boolean('writable'),
})

/**
 * Deletes the other installations that have one of the ids, because they are earlier records of the same device. Knowing the id
 * of a device is enough, as for a POST that updates its record, but the caller needs write access by the ACL.
 * @throws ApiError 403
 */
export async function removeOthers(
  push: Push,
  transaction: Executor,
  holders: readonly Holder[],
  identity: Identity,
  id: string | null,
): Promise<void> {
  const others = holders.filter(
    (holder) =>
      holder.id !== id &&
      ((identity.installationId !== null && holder.installationId === identity.installationId) ||
        (identity.deviceToken !== null && holder.deviceToken === identity.deviceToken)),
  )
  const kept = others.find(({ writable }) => !writable)
  if (kept) throw errors.writeForbidden(kept.id)
  for (const other of others) await deleteObject(push.objects, INSTALLATION, other.id, null, MASTER, transaction)
}

/**
 * Clears the invalid mark of a token: a token that a device itself sends is valid, regardless of earlier reports of a provider
 * (protocol/push, Life of an installation).
 */
export async function revive({ tables }: Push, transaction: Executor, { deviceToken }: Identity): Promise<void> {
  if (deviceToken !== null) await transaction.query(sql`DELETE FROM ${tables.deadTokens} WHERE token = ${deviceToken}`)
}
