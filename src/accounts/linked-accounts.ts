import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import type { Accounts } from './accounts.ts'
import { type AuthDataChanges, type Identity, identityOf, isMainAccount, uidOf, unionOf } from './auth-data.ts'

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
 * Links and unlinks third-party accounts of a user, whose row the transaction has locked or is about to insert.
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
  const claimed = await claim(accounts, transaction, userId, identitiesOf(changes))
  const authData = new Map(Object.entries(stored))
  for (const [platform, data] of changes) {
    const old = authData.get(platform)
    if (data === null) {
      authData.delete(platform)
      await release(accounts, transaction, userId, platform)
      continue
    }
    const identity = identityOf(platform, data)
    const union = mainUnionOf(data)
    const isMine = ({ platform: name, uid }: Identity) => claimed.has(keyOf(name, uid))
    const areMine = isMine(identity) && (union === null || isMine(union))
    if (!areMine && onConflict === 'refuse') throw errors.accountLinkedElsewhere(platform)
    if (!isMine(identity)) continue
    await release(accounts, transaction, userId, platform, identity.uid)
    authData.set(platform, isSameAccount(platform, old, identity) ? { ...old, ...data } : data)
    if (union && isMine(union)) {
      await release(accounts, transaction, userId, union.platform, union.uid)
      authData.set(union.platform, { uid: union.uid })
    }
  }
  await releaseForsakenUnions(accounts, transaction, userId, authData)
  return Object.fromEntries(authData)
}

/** Whether what is stored of a platform is of the same account: of another one nothing is kept, its union id above all. */
function isSameAccount(platform: string, old: Json | undefined, { uid }: Identity): old is JsonObject {
  return isJsonObject(old) && uidOf(platform, old) === uid
}

function mainUnionOf(data: JsonObject): Identity | null {
  return isMainAccount(data) ? unionOf(data) : null
}

/** All that is to be linked. @throws ApiError 250 */
function identitiesOf(changes: AuthDataChanges): Identity[] {
  return [...changes].flatMap(([platform, data]) =>
    data === null ? [] : [identityOf(platform, data), ...(mainUnionOf(data) ? [mainUnionOf(data)!] : [])],
  )
}

/**
 * Makes accounts this user's, those that are nobody's. They are taken in one order by everybody, so that two requests for
 * the same accounts never wait for each other.
 * @returns the keys of those that are this user's now
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
  return new Set(rows.map((row) => keyOf(String(row.platform), String(row.uid))))
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
