import type { JsonObject } from '../values/json.ts'
import { ANONYMOUS_PLATFORM, type AuthDataChanges } from './auth-data.ts'

/*
 * An anonymous user is identified by an id stored on its device. Its anonymity ends as soon as it can log in by a
 * platform, a password or a verified number. From then on the id must not lead to the account, or the next owner of the
 * device could log in (protocol/accounts, authData).
 */

/**
 * Returns the changes of a user's links, and unlinks the anonymous account if they link a platform. Clients that send
 * back what they have read include the anonymous account next to the platform; it is unlinked nevertheless.
 * @param stored the user's current authData
 */
export function withAnonymityRules(stored: JsonObject, changes: AuthDataChanges): AuthDataChanges {
  const linksPlatform = [...changes].some(([platform, data]) => data !== null && platform !== ANONYMOUS_PLATFORM)
  return linksPlatform && (isAnonymous(stored) || changes.has(ANONYMOUS_PLATFORM)) ? ended(changes) : changes
}

/** Adds the end of anonymity to the changes of a user that can log in by other means from now on; null when nothing changes. */
export function endAnonymity(stored: JsonObject, changes: AuthDataChanges | null): AuthDataChanges | null {
  return isAnonymous(stored) ? ended(changes ?? new Map()) : changes
}

function isAnonymous(stored: JsonObject): boolean {
  return Object.hasOwn(stored, ANONYMOUS_PLATFORM)
}

function ended(changes: AuthDataChanges): AuthDataChanges {
  return new Map([...changes, [ANONYMOUS_PLATFORM, null]])
}
