import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import type { Accounts } from './accounts.ts'
import { type AuthDataChanges, type Identity, identityOf, isMainAccount, unionOf } from './auth-data.ts'

/**
 * The user that third-party data belongs to: that of the union account it names, else that of the account itself
 * (spec/rest-details, 9.4). Null when nobody has logged in with any of them.
 */
export async function ownerOf(
  accounts: Accounts,
  executor: Executor,
  authData: ReadonlyMap<string, JsonObject>,
): Promise<string | null> {
  const unions = [...authData.values()].flatMap((data) => unionOf(data) ?? [])
  const own = [...authData].map(([platform, data]) => identityOf(platform, data))
  const wanted = [...unions, ...own]
  const rows = await executor.query(sql`
    SELECT platform, uid, user_id
    FROM ${accounts.identities}
    WHERE (platform, uid) IN (
      SELECT * FROM unnest(${wanted.map(({ platform }) => platform)}::text[], ${wanted.map(({ uid }) => uid)}::text[])
    )`)
  const owners = new Map(rows.map((row) => [keyOf(String(row.platform), String(row.uid)), String(row.user_id)]))
  for (const { platform, uid } of wanted) {
    const owner = owners.get(keyOf(platform, uid))
    if (owner !== undefined) return owner
  }
  return null
}

function keyOf(platform: string, uid: string): string {
  return `${platform} ${uid}`
}

/** What to do with an account that is another user's. */
export type OnConflict = 'refuse' | 'leave out'

/**
 * Links and unlinks third-party accounts of a user, whose row the transaction has locked.
 * @param stored the user's authData so far
 * @returns the user's authData from now on, union entries included
 * @throws ApiError 208 when an account is another user's, 250
 */
export async function changeLinks(
  accounts: Accounts,
  transaction: Executor,
  userId: string,
  stored: JsonObject,
  changes: AuthDataChanges,
  onConflict: OnConflict,
): Promise<JsonObject> {
  const authData = new Map(Object.entries(stored))
  for (const [platform, data] of changes) {
    const old = authData.get(platform)
    if (data === null) {
      authData.delete(platform)
      await release(accounts, transaction, userId, platform)
      continue
    }
    const identity = identityOf(platform, data)
    if (!(await claim(accounts, transaction, userId, identity))) {
      if (onConflict === 'refuse') throw errors.accountLinkedElsewhere(platform)
      continue
    }
    await release(accounts, transaction, userId, platform, identity.uid)
    authData.set(platform, { ...(isJsonObject(old) && old), ...data })
    const union = isMainAccount(data) ? unionOf(data) : null
    if (union && (await claim(accounts, transaction, userId, union))) {
      await release(accounts, transaction, userId, union.platform, union.uid)
      authData.set(union.platform, { uid: union.uid })
    } else if (union && onConflict === 'refuse') {
      throw errors.accountLinkedElsewhere(platform)
    }
  }
  await releaseForsakenUnions(accounts, transaction, userId, authData)
  return Object.fromEntries(authData)
}

/** Makes an account this user's. @returns false when it is somebody else's */
async function claim(
  accounts: Accounts,
  transaction: Executor,
  userId: string,
  { platform, uid }: Identity,
): Promise<boolean> {
  await transaction.query(sql`
    INSERT INTO ${accounts.identities} (platform, uid, user_id)
    VALUES (${platform}, ${uid}, ${userId})
    ON CONFLICT DO NOTHING`)
  const [row] = await transaction.query(sql`
    SELECT user_id FROM ${accounts.identities} WHERE platform = ${platform} AND uid = ${uid}`)
  return row?.user_id === userId
}

/** Gives up the user's accounts of a platform, except the one with the uid `kept`. */
async function release(
  accounts: Accounts,
  transaction: Executor,
  userId: string,
  platform: string,
  kept: string | null = null,
): Promise<void> {
  await transaction.query(sql`
    DELETE FROM ${accounts.identities}
    WHERE user_id = ${userId} AND platform = ${platform} AND uid IS DISTINCT FROM ${kept}`)
}

/** A union entry goes when the last linked account that belongs to it does. */
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
