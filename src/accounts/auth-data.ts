import { errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'
import { emptyAsObject, isJsonObject, isStorableText, type Json, type JsonObject, member } from '../values/json.ts'

/** Changes of third-party accounts by platform; null unlinks the platform. */
export type AuthDataChanges = ReadonlyMap<string, JsonObject | null>

/** A third-party account. It belongs to at most one user (protocol/accounts, authData). */
export interface Identity {
  readonly platform: string
  readonly uid: string
}

const PLATFORM = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const UNION_ENTRY = /^_[A-Za-z0-9_-]{1,64}_unionid$/
const MAX_UID = 512
const MAX_PLATFORMS = 100

/** Platforms that call the id of a user `openid` (protocol/accounts, authData). */
const OPENID_PLATFORMS = new Set(['weixin', 'qq', 'taptap', 'lc_weapp', 'lc_qqapp'])

export const ANONYMOUS_PLATFORM = 'anonymous'

/**
 * Reads `authData` of a body. Clients that send back what they have read include the union entries added by the server;
 * these are left out.
 * @throws ApiError 105 for the name of a platform, 111 for values other than objects and null
 */
export function parseAuthData(wire: Json): AuthDataChanges {
  const value = emptyAsObject(wire)
  if (value === null) return new Map()
  if (!isJsonObject(value) || Object.hasOwn(value, '__op')) {
    throw errors.incorrectType(notice('authDataNotObject'))
  }
  if (Object.keys(value).length > MAX_PLATFORMS)
    throw errors.badArgument(notice('authDataTooMany', { maximum: MAX_PLATFORMS }))
  const changes = new Map<string, JsonObject | null>()
  for (const [platform, data] of Object.entries(value)) {
    if (!UNION_ENTRY.test(platform)) changes.set(checkPlatform(platform), parsePlatformData(platform, data))
  }
  return changes
}

/** @throws ApiError 105 */
export function checkPlatform(name: string): string {
  if (!PLATFORM.test(name)) throw errors.invalidKeyName(`authData.${name.slice(0, 80)}`)
  return name
}

/**
 * Reads the object of one platform; a `Delete` operation counts as null.
 * @throws ApiError 111
 */
export function parsePlatformData(platform: string, data: Json): JsonObject | null {
  if (data === null || (isJsonObject(data) && data.__op === 'Delete')) return null
  if (!isJsonObject(data) || Object.hasOwn(data, '__op')) {
    throw errors.incorrectType(notice('authDataPlatformInvalid', { platform }))
  }
  return data
}

/**
 * Returns the account that the data of a platform identifies.
 * @throws ApiError 250 without an id, and for a numeric id with a fraction or beyond 2^53: rounded, it may be another user's
 */
export function identityOf(platform: string, data: JsonObject): Identity {
  const inexact = [...identityMembers(platform), 'unionid'].find((name) => isInexact(member(data, name)))
  if (inexact !== undefined) throw errors.linkedIdInexact(platform, inexact)
  const [uid] = uidsOf(platform, data)
  if (uid === undefined) throw errors.linkedIdMissing(platform, ...identityMembers(platform))
  return { platform, uid }
}

/**
 * Returns the ids that the data of a platform has for the user, the primary one first: clients send `uid`, `openid` or
 * both (protocol/accounts, authData). Values that are no valid id are left out.
 */
export function uidsOf(platform: string, data: JsonObject): string[] {
  const uids = identityMembers(platform).flatMap((name) => textOf(member(data, name)) ?? [])
  return [...new Set(uids)]
}

/** Returns the data without the ids of other users. */
export function withoutUids(platform: string, data: JsonObject, otherPlatformKeys: ReadonlySet<string>): JsonObject {
  const names = identityMembers(platform)
  const kept = Object.entries(data).filter(
    ([name, value]) => !names.includes(name) || !otherPlatformKeys.has(textOf(value) ?? ''),
  )
  return Object.fromEntries(kept)
}

function identityMembers(platform: string): readonly string[] {
  if (platform === ANONYMOUS_PLATFORM) return ['id']
  return OPENID_PLATFORMS.has(platform) ? ['openid', 'uid'] : ['uid', 'openid']
}

/** Returns the union account that the data belongs to; null when it names none (protocol/accounts, Union-id login). */
export function unionOf(data: JsonObject): Identity | null {
  const uid = textOf(member(data, 'unionid'))
  const space = member(data, 'platform')
  if (uid === null || typeof space !== 'string' || !PLATFORM.test(space)) return null
  return { platform: `_${space}_unionid`, uid }
}

/** Returns the union account of an entry of stored `authData`; null for entries of platforms. */
export function unionEntryOf(name: string, data: JsonObject): Identity[] | null {
  if (!UNION_ENTRY.test(name)) return null
  const uid = textOf(member(data, 'uid'))
  return uid === null ? [] : [{ platform: name, uid }]
}

/** Returns whether the union account leads to this user from now on. */
export function isMainAccount({ main_account: main }: JsonObject): boolean {
  return main === true || main === 'true'
}

function textOf(value: Json | undefined): string | null {
  if (isInexact(value)) return null
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' && text.length <= MAX_UID && isStorableText(text) ? text : null
}

/** Returns whether a number may have lost digits when its JSON was parsed; no platform has fractions as ids. */
function isInexact(value: Json | undefined): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value)
}
