import { entry, rowDecoder, text } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { sql } from '../database/sql.ts'
import { ApiError, errors } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { type Accounts, type StoredUser, storedAuthData } from './accounts.ts'
import { endAnonymity, withAnonymityRules } from './anonymity.ts'
import {
  ANONYMOUS_PLATFORM,
  type AuthDataChanges,
  type Identity,
  identityOf,
  isMainAccount,
  uidsOf,
  unionOf,
  withoutUids,
} from './auth-data.ts'
import { isChecked } from './platforms/check.ts'

/**
 * Returns the user that third-party data belongs to, or null if no user has logged in with any of these accounts.
 * Checks union accounts first, then the accounts themselves (protocol/accounts, authData), and anonymous accounts last,
 * because these only identify a device.
 */
export async function ownerOf(
  accounts: Accounts,
  executor: Executor,
  authData: ReadonlyMap<string, JsonObject>,
): Promise<string | null> {
  const unions = [...authData.values()].flatMap((data) => unionOf(data) ?? [])
  const own = [...authData].map(([platform, data]) => accountIds(accounts, platform, data))
  const first = own.map(([id]) => id!)
  const further = own.flatMap(([, ...others]) => others)
  const isAnonymous = ({ platform }: Identity) => platform === ANONYMOUS_PLATFORM
  const wanted = [...unions, ...first.filter((id) => !isAnonymous(id)), ...further, ...first.filter(isAnonymous)]
  const rows = await executor.query(sql`
    SELECT platform, uid, user_id
    FROM ${accounts.identities}
    WHERE (platform, uid) IN (
      SELECT * FROM unnest(${wanted.map(({ platform }) => platform)}::text[], ${wanted.map(({ uid }) => uid)}::text[])
    )`)
  const owners = new Map(rows.map(entry(identityKey, text('user_id'))))
  for (const { platform, uid } of wanted) {
    const owner = owners.get(keyOf(platform, uid))
    if (owner !== undefined) return owner
  }
  return null
}

/**
 * Returns the ids by which data of a platform is known, the primary one first. If the app verifies the platform, only
 * the primary one, because only that one was verified.
 * @throws ApiError 250
 */
function accountIds(accounts: Accounts, platform: string, data: JsonObject): Identity[] {
  const first = identityOf(platform, data)
  if (isChecked(accounts.settings().platforms, platform)) return [first]
  return uidsOf(platform, data).map((uid) => ({ platform, uid }))
}

function keyOf(platform: string, uid: string): string {
  return `${platform} ${uid}`
}

/**
 * Error for a third-party account that belongs to another user (protocol/accounts, authData). Its text is that of any
 * unique field: it names neither the platform nor the other user.
 */
export class LinkedToOtherUser extends ApiError {
  constructor() {
    const { status, code, message } = errors.duplicateValue()
    super(status, code, message)
  }
}

/** How to handle an account that belongs to another user. */
export type OnConflict = 'refuse' | 'leave out'

/**
 * Links and unlinks third-party accounts of a user. The transaction has locked the user's row or is about to insert it.
 * @param stored the user's current authData
 * @returns the user's new authData, union entries included
 * @throws LinkedElsewhere (137) when an account belongs to another user; ApiError 250
 */
export async function changeLinks(
  accounts: Accounts,
  transaction: Executor,
  userId: string,
  stored: JsonObject,
  sent: AuthDataChanges,
  onConflict: OnConflict,
): Promise<JsonObject> {
  const changes = withAnonymityRules(stored, sent)
  const claimed = await claim(accounts, transaction, userId, identitiesOf(accounts, changes))
  const isMine = ({ platform, uid }: Identity) => claimed.has(keyOf(platform, uid))
  const authData = new Map(Object.entries(stored))
  for (const [platform, data] of changes) {
    if (data === null) {
      authData.delete(platform)
      await release(accounts, transaction, userId, platform)
      continue
    }
    const ids = accountIds(accounts, platform, data)
    const union = mainUnionOf(data)
    const othersIds = ids.filter((id) => !isMine(id))
    const areMine = othersIds.length === 0 && (union === null || isMine(union))
    if (!areMine && onConflict === 'refuse') throw new LinkedToOtherUser()
    if (!isMine(ids[0]!)) continue
    const old = authData.get(platform)
    const own = withoutUids(platform, data, new Set(othersIds.map(({ uid }) => uid)))
    const linked = isSameAccount(platform, old, ids) ? { ...old, ...own } : own
    await release(accounts, transaction, userId, platform, uidsOf(platform, linked))
    authData.set(platform, linked)
    if (union && isMine(union)) {
      await release(accounts, transaction, userId, union.platform, [union.uid])
      authData.set(union.platform, { uid: union.uid })
    }
  }
  await releaseForsakenUnions(accounts, transaction, userId, authData)
  return Object.fromEntries(authData)
}

/**
 * Ends the anonymity of a user that can log in by other means from now on. The transaction has locked the user's row.
 * @returns the fields to write to the user
 */
export async function identified(accounts: Accounts, transaction: Executor, user: StoredUser): Promise<JsonObject> {
  const stored = storedAuthData(user)
  const changes = endAnonymity(stored, null)
  return changes ? { authData: await changeLinks(accounts, transaction, user.id, stored, changes, 'refuse') } : {}
}

/**
 * Returns whether the stored data of a platform is of the same account. Data of another account is not merged, in
 * particular its union id.
 */
function isSameAccount(platform: string, old: Json | undefined, ids: readonly Identity[]): old is JsonObject {
  if (!isJsonObject(old)) return false
  const known = uidsOf(platform, old)
  return ids.some(({ uid }) => known.includes(uid))
}

function mainUnionOf(data: JsonObject): Identity | null {
  return isMainAccount(data) ? unionOf(data) : null
}

/**
 * Returns all accounts to link.
 * @throws ApiError 250
 */
function identitiesOf(accounts: Accounts, changes: AuthDataChanges): Identity[] {
  return [...changes].flatMap(([platform, data]) =>
    data === null ? [] : [...accountIds(accounts, platform, data), ...(mainUnionOf(data) ? [mainUnionOf(data)!] : [])],
  )
}

/**
 * Assigns unowned accounts to this user. All transactions insert in one order, so that two requests for the same
 * accounts never deadlock.
 * @returns the keys of the accounts that the user now owns
 */
async function claim(
  accounts: Accounts,
  transaction: Executor,
  userId: string,
  identities: readonly Identity[],
): Promise<ReadonlySet<string>> {
  if (identities.length === 0) return new Set()
  const wanted = sql`unnest(${identities.map(({ platform }) => platform)}::text[], ${identities.map(({ uid }) => uid)}::text[])`
  await transaction.query(sql`
    INSERT INTO ${accounts.identities} (platform, uid, user_id)
    SELECT platform COLLATE "C", uid COLLATE "C", ${userId}::text
    FROM ${wanted} AS wanted (platform, uid)
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING`)
  const rows = await transaction.query(sql`
    SELECT platform, uid
    FROM ${accounts.identities}
    WHERE user_id = ${userId} AND (platform, uid) IN (SELECT * FROM ${wanted})`)
  return new Set(rows.map(identityKey))
}

/** Deletes the user's ids of a platform, except those in `kept`. */
async function release(
  accounts: Accounts,
  transaction: Executor,
  userId: string,
  platform: string,
  kept: readonly string[] = [],
): Promise<void> {
  await transaction.query(sql`
    DELETE FROM ${accounts.identities}
    WHERE user_id = ${userId} AND platform = ${platform} AND uid <> ALL (${kept}::text[])`)
}

/** Removes union entries that no linked account belongs to. */
async function releaseForsakenUnions(
  accounts: Accounts,
  transaction: Executor,
  userId: string,
  authData: Map<string, unknown>,
): Promise<void> {
  const linked = [...authData.values()].flatMap((data) => (isJsonObject(data) ? (unionOf(data) ?? []) : []))
  const held = new Set(linked.map(({ platform, uid }) => keyOf(platform, uid)))
  for (const [platform, entry] of authData) {
    if (!platform.startsWith('_') || !isJsonObject(entry) || held.has(keyOf(platform, String(entry.uid)))) continue
    authData.delete(platform)
    await release(accounts, transaction, userId, platform)
  }
}

const decodeIdentity = rowDecoder({ platform: text('platform'), uid: text('uid') })

function identityKey(row: Row): string {
  const { platform, uid } = decodeIdentity(row)
  return keyOf(platform, uid)
}
